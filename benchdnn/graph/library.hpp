// SPDX-License-Identifier: Apache-2.0
// A graph in the library's hands: added operation by operation, cut into partitions, compiled.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/handles.hpp"
#include "graph/partition_reference.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace benchdnn::graph {

// Calls instead of addresses of the library's functions, so that the other drivers run with
// libraries that lack them.
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
    std::string name; // its operations' kinds, joined by +
    bool is_supported = false;
};

// The library's partitions, in an order in which they can be executed. Those that consist of End
// and Wildcard only are left out. A status_error_t tells which operation was refused.
std::vector<partition_t> partitions_of(const graph_t &graph, dnnl_graph_partition_policy_t policy);

// Inputs and outputs that may share memory, as the library tells of a compiled partition.
std::vector<dnnl_graph_inplace_pair_t> in_place_pairs(const partition_t &partition);

// Whether the library has graphs at all.
bool has_graphs();

void compile(partition_t &partition, const graph_t &graph, const engine_t &engine);

} // namespace benchdnn::graph
