// SPDX-License-Identifier: Apache-2.0
// C entry points of graphs.
#include "graph/partition/graph.hpp"

#include "common/one_of.hpp"
#include "common/settings.hpp"
#include "graph/api/handles.hpp"
#include "graph/api/require.hpp"

using namespace kiln;

status_t dnnl_graph_graph_create(dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind) {
    return guarded([&] {
        return dnnl_graph_graph_create_with_fpmath_mode(graph, engine_kind, default_fpmath_mode());
    });
}

status_t dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode) {
    KILN_REQUIRE_POINTERS(graph);
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
    KILN_REQUIRE_POINTERS(graph);
    KILN_REQUIRE(!graph->is_finalized(), dnnl_invalid_graph, "graph",
            "the math mode of a finalized graph cannot be changed");
    graph->set_fpmath({mode, apply_to_int != 0});
    return dnnl_success;
}

status_t dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    KILN_REQUIRE_POINTERS(graph);
    if (mode) *mode = graph->fpmath().mode;
    if (apply_to_int) *apply_to_int = graph->fpmath().apply_to_int;
    return dnnl_success;
}

status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op) {
    KILN_REQUIRE_POINTERS(graph, op);
    KILN_REQUIRE(!graph->is_finalized(), dnnl_invalid_graph, "graph",
            "an operation cannot be added to a finalized graph");
    return guarded([&] { return graph->add_op(*op); });
}

status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph) {
    KILN_REQUIRE_POINTERS(graph);
    return guarded([&] { return graph->finalize(); });
}

status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized) {
    KILN_REQUIRE_POINTERS(graph, finalized);
    *finalized = graph->is_finalized();
    return dnnl_success;
}

status_t dnnl_graph_graph_filter(dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy) {
    KILN_REQUIRE(graph && graph->is_finalized(), dnnl_invalid_graph, "graph",
            "a graph must be finalized before it is filtered");
    KILN_REQUIRE(
            one_of(policy, {dnnl_graph_partition_policy_fusion, dnnl_graph_partition_policy_debug}),
            dnnl_invalid_arguments, "graph", "partition policy %d is unknown",
            static_cast<int>(policy));
    return guarded([&] {
        graph->filter(policy);
        return dnnl_success;
    });
}

status_t dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph, size_t *num) {
    if (graph == nullptr) return dnnl_invalid_graph;
    KILN_REQUIRE_POINTERS(num);
    *num = graph->partitions().size();
    return dnnl_success;
}

status_t dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions) {
    if (graph == nullptr) return dnnl_invalid_graph;
    KILN_REQUIRE_POINTERS(partitions);
    KILN_REQUIRE(num == graph->partitions().size(), dnnl_invalid_arguments, "graph",
            "the array has %zu elements, not %zu", num, graph->partitions().size());
    return guarded([&] {
        std::vector<std::unique_ptr<dnnl_graph_partition>> made;
        for (const auto &body : graph->partitions())
            made.push_back(std::make_unique<dnnl_graph_partition>(dnnl_graph_partition{body}));
        for (size_t i = 0; i < num; ++i) partitions[i] = made[i].release();
        return dnnl_success;
    });
}
