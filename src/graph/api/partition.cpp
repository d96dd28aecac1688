// SPDX-License-Identifier: Apache-2.0
// C entry points of partitions.
#include "graph/api/handles.hpp"
#include "graph/api/require.hpp"
#include "graph/partition/compiled_partition_cache.hpp"
#include "graph/partition/describe.hpp"
#include "graph/partition/partitioner.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

/// Copies a list into the caller's array of `count` elements.
template <typename T> status_t copy_list(const std::vector<T> &list, size_t count, T *out) {
    KILN_REQUIRE_POINTERS(out);
    KILN_REQUIRE(list.size() == count, dnnl_invalid_arguments, "graph",
            "the array has %zu elements, not %zu", count, list.size());
    std::copy(list.begin(), list.end(), out);
    return dnnl_success;
}

std::vector<logical_tensor_t> copies(const logical_tensor_t *const *tensors, size_t count) {
    std::vector<logical_tensor_t> result;
    for (size_t i = 0; i < count; ++i) result.push_back(*tensors[i]);
    return result;
}

} // namespace

status_t dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind) {
    KILN_REQUIRE_POINTERS(partition, op);
    return guarded([&]() -> status_t {
        KILN_TRY(check_op(*op));
        auto copy = std::make_shared<op_t>(*op);
        fill_default_attributes(*copy);
        const std::vector<op_ptr_t> ops{copy};
        const edges_t edges(ops);
        KILN_REQUIRE(execution_order(ops, edges).size() == 1, dnnl_invalid_graph_op, "graph",
                "%s: an output is an input of the same operation", copy->name.c_str());
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
    return guarded([&] {
        std::vector<size_t> list;
        for (const op_ptr_t &op : partition->body->ops) list.push_back(op->id);
        return copy_list(list, num, ids);
    });
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
    KILN_REQUIRE((inputs || in_num == 0) && (outputs || out_num == 0), dnnl_invalid_arguments,
            "graph", "null pointer: inputs or outputs");
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
        KILN_TRY(compile_cached(partition->body, copies(inputs, in_num), copies(outputs, out_num),
                engine, compiled_partition->compilation, is_hit));
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
