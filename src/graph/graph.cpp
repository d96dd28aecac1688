// SPDX-License-Identifier: Apache-2.0
// Building a graph, and its C entries.

#include "graph/graph.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "common/verbose/verbose.hpp"
#include "graph/dump.hpp"
#include "graph/partition/partitioner.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {
size_t next_id() {
    static std::atomic<size_t> last{0};
    return ++last;
}
} // namespace

dnnl_graph_graph::dnnl_graph_graph(engine_kind_t engine_kind, dnnl_fpmath_mode_t fpmath_mode)
    : id_(next_id())
    , engine_kind_(engine_kind)
    , fpmath_{fpmath_mode, false} {}

status_t dnnl_graph_graph::add_op(const op_t &op) {
    const auto has_id = [&](const op_ptr_t &other) { return other->id == op.id; };
    if (std::any_of(ops_.begin(), ops_.end(), has_id)) return dnnl_success;
    auto copy = std::make_shared<op_t>(op);
    KILN_TRY(check_op(*copy));
    fill_default_attributes(*copy);
    ops_.push_back(std::move(copy));
    return dnnl_success;
}

status_t dnnl_graph_graph::check_tensors() const {
    std::unordered_map<size_t, const logical_tensor_t *> tensors;
    std::unordered_map<size_t, const op_t *> producers;
    for (const op_ptr_t &op : ops_) {
        for (const auto *list : {&op->inputs, &op->outputs})
            for (const logical_tensor_t &lt : *list) {
                if (is_absent(lt)) continue;
                const auto [at, is_new] = tensors.emplace(lt.id, &lt);
                KILN_REQUIRE(is_new || is_equal(*at->second, lt), dnnl_invalid_graph, "graph",
                        "tensors with id %zu differ", lt.id);
            }
        for (const logical_tensor_t &lt : op->outputs)
            KILN_REQUIRE(is_absent(lt) || producers.emplace(lt.id, op.get()).second,
                    dnnl_invalid_graph, "graph", "tensor %zu is the output of several operations",
                    lt.id);
    }
    return dnnl_success;
}

status_t dnnl_graph_graph::finalize() {
    if (is_finalized_) return dnnl_success;
    KILN_TRY(check_tensors());
    edges_ = edges_t(ops_);
    auto order = execution_order(ops_, edges_);
    KILN_REQUIRE(
            order.size() == ops_.size(), dnnl_invalid_graph, "graph", "operations form a cycle");
    ops_ = std::move(order);
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

status_t dnnl_graph_graph_create(dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind) {
    return dnnl_graph_graph_create_with_fpmath_mode(
            graph, engine_kind, primitive_attr_t().fpmath.mode);
}

status_t dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode) {
    if (graph == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *graph = new dnnl_graph_graph(engine_kind, mode);
        return dnnl_success;
    });
}

status_t dnnl_graph_graph_destroy(dnnl_graph_graph_t graph) {
    delete graph;
    return dnnl_success;
}

status_t dnnl_graph_graph_set_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int) {
    if (graph == nullptr) return dnnl_invalid_arguments;
    if (graph->is_finalized()) return dnnl_invalid_graph;
    graph->set_fpmath({mode, apply_to_int != 0});
    return dnnl_success;
}

status_t dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    if (graph == nullptr) return dnnl_invalid_arguments;
    if (mode) *mode = graph->fpmath().mode;
    if (apply_to_int) *apply_to_int = graph->fpmath().apply_to_int;
    return dnnl_success;
}

status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op) {
    if (graph == nullptr || op == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(!graph->is_finalized(), dnnl_invalid_graph, "graph",
            "an operation is added to a finalized graph");
    return guarded([&] { return graph->add_op(*op); });
}

status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph) {
    if (graph == nullptr) return dnnl_invalid_arguments;
    return guarded([&] { return graph->finalize(); });
}

status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized) {
    if (graph == nullptr || finalized == nullptr) return dnnl_invalid_arguments;
    *finalized = graph->is_finalized();
    return dnnl_success;
}

status_t dnnl_graph_graph_filter(dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy) {
    KILN_REQUIRE(graph && graph->is_finalized(), dnnl_invalid_graph, "graph",
            "a graph that is not finalized is filtered");
    return guarded([&] {
        graph->filter(policy);
        return dnnl_success;
    });
}

status_t dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph, size_t *num) {
    if (graph == nullptr) return dnnl_invalid_graph;
    if (num == nullptr) return dnnl_invalid_arguments;
    *num = graph->partitions().size();
    return dnnl_success;
}

status_t dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions) {
    if (graph == nullptr) return dnnl_invalid_graph;
    if (partitions == nullptr || num != graph->partitions().size()) return dnnl_invalid_arguments;
    return guarded([&] {
        std::vector<std::unique_ptr<dnnl_graph_partition>> made;
        for (const auto &body : graph->partitions())
            made.push_back(std::make_unique<dnnl_graph_partition>(body));
        for (size_t i = 0; i < num; ++i) partitions[i] = made[i].release();
        return dnnl_success;
    });
}
