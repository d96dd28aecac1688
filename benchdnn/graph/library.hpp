// SPDX-License-Identifier: Apache-2.0
// A graph as a library object: built operation by operation, partitioned, compiled.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/handles.hpp"
#include "graph/partition_reference.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace benchdnn::graph {

// Functions in place of the addresses of the library's functions, so that the other drivers run
// with libraries that do not have them.
#define BENCHDNN_GRAPH_OWNER(object)                                                               \
    inline dnnl_status_t destroy_##object(dnnl_graph_##object##_t handle) {                        \
        return dnnl_graph_##object##_destroy(handle);                                              \
    }                                                                                              \
    using object##_owner_t = owner_t<dnnl_graph_##object##_t, destroy_##object>;
BENCHDNN_GRAPH_OWNER(op)
BENCHDNN_GRAPH_OWNER(graph)
BENCHDNN_GRAPH_OWNER(partition)
BENCHDNN_GRAPH_OWNER(compiled_partition)
BENCHDNN_GRAPH_OWNER(tensor)
#undef BENCHDNN_GRAPH_OWNER

dnnl_graph_logical_tensor_t library_tensor(const logical_tensor_t &tensor);

struct partition_t {
    partition_owner_t handle;
    compiled_partition_owner_t compiled;
    partition_ports_t ports;
    std::string name; // the kinds of its operations, joined by +
    bool is_supported = false;
};

// The library's partitions, in an order of execution. Partitions that consist of End and Wildcard
// only are left out. A status_error_t names an operation that was refused.
std::vector<partition_t> partitions_of(const graph_t &graph, dnnl_graph_partition_policy_t policy);

// The pairs of inputs and outputs of a compiled partition that may share memory.
std::vector<dnnl_graph_inplace_pair_t> in_place_pairs(const partition_t &partition);

// Whether the library has the Graph API.
bool has_graphs();

void compile(partition_t &partition, const graph_t &graph, const engine_t &engine);

} // namespace benchdnn::graph
