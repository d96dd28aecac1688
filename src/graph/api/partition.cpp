// SPDX-License-Identifier: Apache-2.0
// C entry points of partitions.
#include <algorithm>
#include <functional>

#include "graph/api/handles.hpp"
#include "graph/api/require.hpp"
#include "graph/partition/compiled_partition_cache.hpp"
#include "graph/partition/describe.hpp"
#include "graph/partition/partitioner.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

/// Copies what `value_of` gives for each element of a list into the caller's array of `count`
/// elements.
template <typename list_t, typename T, typename value_of_t = std::identity>
status_t copy_list(const list_t &list, size_t count, T *out, const value_of_t &value_of = {}) {
    KILN_REQUIRE_POINTERS(out);
    KILN_REQUIRE(list.size() == count, dnnl_invalid_arguments, "graph",
            "the array has %zu elements, not %zu", count, list.size());
    std::ranges::transform(list, out, value_of);
    return dnnl_success;
}

/// Copies the caller's logical tensors.
status_t read_tensors(const char *name, const logical_tensor_t *const *tensors, size_t count,
        std::vector<logical_tensor_t> &result) {
    KILN_REQUIRE(tensors || count == 0, dnnl_invalid_arguments, "graph",
            "null pointer: %s, of %zu elements", name, count);
    for (size_t i = 0; i < count; ++i) {
        KILN_REQUIRE(tensors[i], dnnl_invalid_arguments, "graph", "null pointer: %s[%zu]", name, i);
        KILN_TRY(check(*tensors[i]));
        result.push_back(*tensors[i]);
    }
    return dnnl_success;
}

} // namespace

status_t dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind) {
    KILN_REQUIRE_POINTERS(partition, op);
    return guarded([&]() -> status_t {
        std::vector<op_ptr_t> ops(1);
        KILN_TRY(copy_checked(*op, ops[0]));
        edges_t edges;
        const status_t status = connect(ops, edges);
        if (status == dnnl_invalid_graph) return dnnl_invalid_graph_op;
        KILN_TRY(status);
        const auto partitions = partitions_of(
                ops, edges, ekind, primitive_attr_t().fpmath, dnnl_graph_partition_policy_debug);
        *partition = new dnnl_graph_partition{partitions[0]};
        return dnnl_success;
    });
}

status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition) {
    delete partition;
    return dnnl_success;
}

status_t dnnl_graph_partition_get_op_num(const_dnnl_graph_partition_t partition, size_t *num) {
    KILN_REQUIRE_POINTERS(partition, num);
    *num = partition->body->ops.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_ops(dnnl_graph_partition_t partition, size_t num, size_t *ids) {
    KILN_REQUIRE_POINTERS(partition);
    return copy_list(partition->body->ops, num, ids, [](const op_ptr_t &op) { return op->id; });
}

status_t dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition, size_t *id) {
    KILN_REQUIRE_POINTERS(partition, id);
    *id = partition->body->id;
    return dnnl_success;
}

status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
        const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
        const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine) {
    KILN_REQUIRE_POINTERS(partition, compiled_partition, engine);
    KILN_REQUIRE(partition->body->group, dnnl_invalid_arguments, "graph",
            "partition %zu is not supported (dnnl_graph_partition_is_supported)",
            partition->body->id);
    KILN_REQUIRE(engine->kind() == partition->body->engine_kind, dnnl_invalid_arguments, "graph",
            "partition %zu is for engines of kind %s, not %s", partition->body->id,
            dnnl_engine_kind2str(partition->body->engine_kind),
            dnnl_engine_kind2str(engine->kind()));
    KILN_REQUIRE(compiled_partition->partition == partition->body, dnnl_invalid_arguments, "graph",
            "the compiled partition was created from another partition than %zu",
            partition->body->id);
    return guarded([&]() -> status_t {
        const bool is_timed = verbose::enabled(verbose::create_profile);
        const double start = is_timed ? verbose::now_ms() : 0;
        bool is_hit = false;
        std::vector<logical_tensor_t> from, to;
        KILN_TRY(read_tensors("inputs", inputs, in_num, from));
        KILN_TRY(read_tensors("outputs", outputs, out_num, to));
        KILN_TRY(compile_cached(partition->body, std::move(from), std::move(to), engine,
                compiled_partition->compilation, is_hit));
        if (is_timed)
            print_graph_profile(is_hit ? "compile:cache_hit" : "compile:cache_miss",
                    *compiled_partition->compilation, start, verbose::now_ms());
        return dnnl_success;
    });
}

status_t dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    KILN_REQUIRE_POINTERS(partition, num);
    *num = partition->body->inputs.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *inputs) {
    KILN_REQUIRE_POINTERS(partition);
    return copy_list(partition->body->inputs, num, inputs);
}

status_t dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    KILN_REQUIRE_POINTERS(partition, num);
    *num = partition->body->outputs.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *outputs) {
    KILN_REQUIRE_POINTERS(partition);
    return copy_list(partition->body->outputs, num, outputs);
}

status_t dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported) {
    KILN_REQUIRE_POINTERS(partition, is_supported);
    *is_supported = partition->body->group.has_value();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind) {
    KILN_REQUIRE_POINTERS(partition, kind);
    *kind = partition->body->engine_kind;
    return dnnl_success;
}
