// SPDX-License-Identifier: Apache-2.0
// Memory of the graph component: from the functions of the program's allocator, or the library's.
#pragma once

#include <cstddef>
#include <memory>

#include "common/primitive/engine.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

/// The C interface's opaque allocator. Both functions are given or neither is.
struct dnnl_graph_allocator {
    dnnl_graph_host_allocate_f allocate; ///< null: the library's allocation
    dnnl_graph_host_deallocate_f deallocate;
};

namespace kiln::graph {

/// Frees a buffer. The engine, and the program's allocator with it, must outlive the buffer.
struct deallocate_t {
    dnnl_graph_host_deallocate_f deallocate = nullptr; ///< null: the library's allocation
    void operator()(void *buffer) const;
};
using graph_buffer_t = std::unique_ptr<void, deallocate_t>;

/// Whether the engine was created with the program's allocation functions.
bool has_own_allocator(const engine_t &engine);
/// A buffer of at least `bytes`, aligned to a cache line. Throws std::bad_alloc if there is no
/// memory; a null pointer from the program's function counts as that.
graph_buffer_t allocate(const engine_t &engine, size_t bytes);

} // namespace kiln::graph
