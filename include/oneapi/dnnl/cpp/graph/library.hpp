// SPDX-License-Identifier: Apache-2.0
// Settings that apply to all graphs of the process: the compiled partition cache, the constant
// tensor cache, and dumps.

#ifndef ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP
#define ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP

#include "oneapi/dnnl/cpp/graph/status.hpp"

namespace dnnl {
namespace graph {

/// The capacity of the compiled partition cache; 0 means that it is disabled.
inline int get_compiled_partition_cache_capacity() {
    int capacity = 0;
    error::wrap_c_api(dnnl_graph_get_compiled_partition_cache_capacity(&capacity),
            "cannot get the capacity of the compiled partition cache");
    return capacity;
}

/// Throws if the capacity is negative.
inline void set_compiled_partition_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_graph_set_compiled_partition_cache_capacity(capacity),
            "cannot set the capacity of the compiled partition cache; ONEDNN_VERBOSE=all says why");
}

/// 1 if the constant tensor cache is enabled, else 0. Deprecated: get the capacity instead.
inline int get_constant_tensor_cache() {
    int flag = 0;
    error::wrap_c_api(dnnl_graph_get_constant_tensor_cache(&flag),
            "cannot tell whether there is a constant tensor cache");
    return flag;
}

/// Throws if the flag is negative. Deprecated: set the capacity instead.
inline void set_constant_tensor_cache(int flag) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache(flag),
            "cannot turn the constant tensor cache on or off; ONEDNN_VERBOSE=all says why");
}

/// The capacity of the constant tensor cache for engines of this kind, in MiB.
inline size_t get_constant_tensor_cache_capacity(engine::kind kind) {
    size_t size = 0;
    error::wrap_c_api(dnnl_graph_get_constant_tensor_cache_capacity(convert_to_c(kind), &size),
            "cannot get the capacity of the constant tensor cache");
    return size;
}

/// size is in MiB; 0 disables the cache.
inline void set_constant_tensor_cache_capacity(engine::kind kind, size_t size) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache_capacity(convert_to_c(kind), size),
            "cannot set the capacity of the constant tensor cache; ONEDNN_VERBOSE=all says why");
}

/// What is dumped to JSON files; modes are combined as bits.
enum class graph_dump_mode : unsigned {
    none = dnnl_graph_dump_mode_none,
    /// Partitions when they are compiled.
    subgraph = dnnl_graph_dump_mode_subgraph,
    /// Graphs when they are partitioned.
    graph = dnnl_graph_dump_mode_graph,
};

DNNL_DEFINE_BITMASK_OPS(graph_dump_mode)

/// Overrides ONEDNN_GRAPH_DUMP. Returns status::invalid_arguments for other bits.
inline status set_dump_mode(graph_dump_mode modes) {
    return static_cast<status>(
            dnnl_graph_set_dump_mode(static_cast<dnnl_graph_dump_mode_t>(modes)));
}

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_LIBRARY_HPP
