// SPDX-License-Identifier: Apache-2.0
// What concerns all graphs of the process: the caches of compiled partitions and of constant
// tensors, and which graphs are written to files.

#ifndef ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP
#define ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP

#include "oneapi/dnnl/cpp/graph/status.hpp"

namespace dnnl {
namespace graph {

/// How many compiled partitions the cache keeps; 0 means there is no cache.
inline int get_compiled_partition_cache_capacity() {
    int capacity = 0;
    error::wrap_c_api(dnnl_graph_get_compiled_partition_cache_capacity(&capacity),
            "cannot get the capacity of the compiled partition cache");
    return capacity;
}

/// Throws for a negative capacity.
inline void set_compiled_partition_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_graph_set_compiled_partition_cache_capacity(capacity),
            "cannot set the capacity of the compiled partition cache");
}

/// Whether what is made of constant tensors is kept, 1 or 0. Deprecated: the capacity says it, too.
inline int get_constant_tensor_cache() {
    int flag = 0;
    error::wrap_c_api(dnnl_graph_get_constant_tensor_cache(&flag),
            "cannot tell whether there is a constant tensor cache");
    return flag;
}

/// Throws for a negative flag. Deprecated: set the capacity.
inline void set_constant_tensor_cache(int flag) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache(flag),
            "cannot turn the constant tensor cache on or off");
}

/// The most that cache may hold for engines of a kind, in MiB.
inline size_t get_constant_tensor_cache_capacity(engine::kind kind) {
    size_t size = 0;
    error::wrap_c_api(dnnl_graph_get_constant_tensor_cache_capacity(convert_to_c(kind), &size),
            "cannot get the capacity of the constant tensor cache");
    return size;
}

/// size is in MiB; 0 turns the cache off.
inline void set_constant_tensor_cache_capacity(engine::kind kind, size_t size) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache_capacity(convert_to_c(kind), size),
            "cannot set the capacity of the constant tensor cache");
}

/// Which graphs are written to files as JSON; modes combine like bits.
enum class graph_dump_mode : unsigned {
    none = dnnl_graph_dump_mode_none,
    /// Partitions, when a graph is cut.
    subgraph = dnnl_graph_dump_mode_subgraph,
    /// Whole graphs, when they are finalized.
    graph = dnnl_graph_dump_mode_graph,
};

DNNL_DEFINE_BITMASK_OPS(graph_dump_mode)

/// Takes precedence over ONEDNN_GRAPH_DUMP. status::invalid_arguments for other bits.
inline status set_dump_mode(graph_dump_mode modes) {
    return static_cast<status>(
            dnnl_graph_set_dump_mode(static_cast<dnnl_graph_dump_mode_t>(modes)));
}

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP
