// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::allocator, the functions with which graphs allocate memory, and engines with an
// allocator.

#ifndef ONEAPI_DNNL_CPP_GRAPH_ALLOCATOR_HPP
#define ONEAPI_DNNL_CPP_GRAPH_ALLOCATOR_HPP

#include "oneapi/dnnl/cpp/graph/status.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_allocator_t>
    : public detail::destroyed_by<dnnl_graph_allocator_t, dnnl_graph_allocator_destroy> {};

namespace graph {

/// Two functions that allocate and free host memory.
class allocator : public handle<dnnl_graph_allocator_t> {
public:
    using handle::handle;

    /// The library's functions.
    allocator()
        : allocator(nullptr, nullptr) {}

    /// The caller's functions: host_malloc(bytes, alignment) returns a buffer or null, host_free
    /// frees it. Any thread may call them. If either is null, the library's functions are used.
    allocator(dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free) {
        dnnl_graph_allocator_t result = nullptr;
        error::wrap_c_api(dnnl_graph_allocator_create(&result, host_malloc, host_free),
                "cannot make an allocator; ONEDNN_VERBOSE=all says why");
        reset(result);
    }
};

/// The index-th engine of a kind, which allocates memory of graphs with alloc. alloc and all that
/// its functions use must outlive the engine.
inline engine make_engine_with_allocator(engine::kind kind, size_t index, const allocator &alloc) {
    dnnl_engine_t result = nullptr;
    error::wrap_c_api(
            dnnl_graph_make_engine_with_allocator(&result, convert_to_c(kind), index, alloc.get()),
            "cannot make an engine with an allocator; ONEDNN_VERBOSE=all says why");
    return engine(result);
}

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_ALLOCATOR_HPP
