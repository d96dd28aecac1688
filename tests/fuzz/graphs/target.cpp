// SPDX-License-Identifier: Apache-2.0
// Graphs: builds one of operations that are legal or nearly so, partitions it, compiles and
// executes the partitions on guarded buffers; also logical tensors alone.
#include "support/target.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "graphs/operations.hpp"
#include "graphs/partitions.hpp"
#include "support/caches.hpp"

namespace kiln::fuzz {

namespace {

using partition_handle_t = test::handle_t<dnnl_graph_partition_t, dnnl_graph_partition_destroy>;

constexpr size_t most_operations = 8;

/// Finalizes, filters and returns the partitions; none if the graph is refused.
std::vector<partition_handle_t> partition(
        input_t &input, dnnl_graph_graph_t graph, verdict_t verdict) {
    std::vector<partition_handle_t> handles;
    if (!succeeded(dnnl_graph_graph_finalize(graph), "graph_finalize", verdict)) return handles;
    const auto policy = input.one_in(4) ? dnnl_graph_partition_policy_debug
                                        : dnnl_graph_partition_policy_fusion;
    succeeded(dnnl_graph_graph_filter(graph, policy), "graph_filter", verdict_t::success);
    size_t count = 0;
    succeeded(dnnl_graph_graph_get_partition_num(graph, &count), "get_partition_num",
            verdict_t::success);
    std::vector<dnnl_graph_partition_t> list(count + 1);
    succeeded(dnnl_graph_graph_get_partitions(graph, count, list.data()), "get_partitions",
            verdict_t::success);
    for (size_t i = 0; i < count; ++i) handles.emplace_back(list[i]);
    return handles;
}

void run_graph(input_t &input, bool is_wild) {
    graph_handle_t graph;
    succeeded(dnnl_graph_graph_create(graph.out(), dnnl_cpu), "graph_create", verdict_t::success);
    values_t values(input);
    operations_t operations(input, values, is_wild);
    const auto count = static_cast<size_t>(input.between(1, most_operations));
    std::vector<partition_handle_t> partitions;
    for (size_t id = 0; id < count; ++id) {
        verdict_t verdict = verdict_t::unknown;
        const op_handle_t op = operations.read(is_wild && input.one_in(16) ? 0 : id, verdict);
        succeeded(dnnl_graph_add_op(graph, op), "add_op", verdict);
        if (!input.one_in(8)) continue;
        partition_handle_t alone;
        if (succeeded(dnnl_graph_partition_create_with_op(alone.out(), op, dnnl_cpu),
                    "partition_create_with_op", verdict))
            partitions.push_back(std::move(alone));
    }
    const auto verdict = is_wild ? verdict_t::unknown : verdict_t::success;
    for (partition_handle_t &made : partition(input, graph, verdict))
        partitions.push_back(std::move(made));
    partitions_t execution(input, values, operations.are_simple());
    for (const partition_handle_t &handle : partitions) execution.run(handle);
}

void run_logical_tensors(input_t &input) {
    logical_tensor_t tensors[2] = {};
    for (logical_tensor_t &lt : tensors) {
        const dims_t dims = read_dims(input, 0, 12, 1 << 20);
        const int ndims = input.one_in(16) ? input.any_int() : static_cast<int>(dims.size());
        dims_t given(static_cast<size_t>(std::clamp(ndims, 0, DNNL_MAX_NDIMS)), 3);
        std::copy_n(dims.begin(), std::min(dims.size(), given.size()), given.begin());
        const auto layout = static_cast<dnnl_graph_layout_type_t>(input.between(0, 3));
        const auto property = static_cast<dnnl_graph_tensor_property_t>(input.between(0, 3));
        const auto type = input.pick(all_types());
        switch (input.below(3)) {
        case 0:
            succeeded(
                    dnnl_graph_logical_tensor_init(&lt, 1, type, ndims, layout, property), "init");
            break;
        case 1:
            succeeded(dnnl_graph_logical_tensor_init_with_dims(
                              &lt, 1, type, ndims, given.data(), layout, property),
                    "init_with_dims");
            break;
        default:
            succeeded(dnnl_graph_logical_tensor_init_with_strides(
                              &lt, 1, type, ndims, given.data(), given.data(), property),
                    "init_with_strides");
        }
        for (auto left = input.between(0, 3); left > 0; --left) damage(input, lt);
        size_t bytes = 0;
        succeeded(dnnl_graph_logical_tensor_get_mem_size(&lt, &bytes), "get_mem_size");
        uint8_t is_equal = 0;
        if (succeeded(dnnl_graph_logical_tensor_is_equal(&lt, &lt, &is_equal), "is_equal"))
            EXPECT_THAT(is_equal, "a logical tensor differs from itself");
    }
    uint8_t there = 0, back = 0;
    succeeded(dnnl_graph_logical_tensor_is_equal(&tensors[0], &tensors[1], &there), "is_equal");
    succeeded(dnnl_graph_logical_tensor_is_equal(&tensors[1], &tensors[0], &back), "is_equal");
    EXPECT_THAT(there == back, "equality is not symmetric");
}

void run(input_t &input) {
    const auto mode = input.below(8);
    if (mode == 7)
        run_logical_tensors(input);
    else
        run_graph(input, mode >= 4);
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace kiln::fuzz;
    static tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    static tbb::task_arena arena(1);
    input_t input(data, size);
    arena.execute([&] { run(input); });
    empty_caches();
    return 0;
}
