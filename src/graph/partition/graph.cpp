// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/graph.hpp"

#include <algorithm>
#include <unordered_map>

#include "graph/dump/dump.hpp"
#include "graph/op/unique_id.hpp"
#include "graph/partition/partitioner.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

dnnl_graph_graph::dnnl_graph_graph(engine_kind_t engine_kind, dnnl_fpmath_mode_t fpmath_mode)
    : id_(next_id<dnnl_graph_graph>())
    , engine_kind_(engine_kind)
    , fpmath_{fpmath_mode, false} {}

status_t dnnl_graph_graph::add_op(const op_t &op) {
    const auto has_id = [&](const op_ptr_t &other) { return other->id == op.id; };
    if (std::any_of(ops_.begin(), ops_.end(), has_id)) return dnnl_success;
    op_ptr_t copy;
    KILN_TRY(copy_checked(op, copy));
    ops_.push_back(std::move(copy));
    return dnnl_success;
}

status_t dnnl_graph_graph::finalize() {
    if (is_finalized_) return dnnl_success;
    KILN_TRY(connect(ops_, edges_));
    is_finalized_ = true;
    return dnnl_success;
}

void dnnl_graph_graph::filter(dnnl_graph_partition_policy_t policy) {
    const std::string name = "graph-" + std::to_string(id_);
    const bool is_to_dump = is_dumped(dnnl_graph_dump_mode_graph);
    if (is_to_dump) dump_ops(name + ".json", ops_, engine_kind_, fpmath_);
    partitions_ = partitions_of(ops_, edges_, engine_kind_, fpmath_, policy);
    if (is_to_dump)
        dump_ops(name + "-partitioning.json", ops_, engine_kind_, fpmath_, partition_ids());
}

std::vector<size_t> dnnl_graph_graph::partition_ids() const {
    std::unordered_map<const op_t *, size_t> id_of;
    for (const auto &partition : partitions_)
        for (const op_ptr_t &op : partition->ops) id_of[op.get()] = partition->id;
    std::vector<size_t> ids;
    for (const op_ptr_t &op : ops_) ids.push_back(id_of.at(op.get()));
    return ids;
}
