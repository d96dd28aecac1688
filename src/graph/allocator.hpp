// SPDX-License-Identifier: Apache-2.0
// Where the graph component takes memory from: the program's pair of functions or the library's
// own.
#pragma once

#include <cstddef>
#include <memory>

#include "common/primitive/engine.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

/// The C interface's opaque allocator.
struct dnnl_graph_allocator {
    dnnl_graph_host_allocate_f allocate; ///< null: the library's own
    dnnl_graph_host_deallocate_f deallocate;
};

namespace kiln::graph {

/// Gives a buffer back to where it came from. The engine, and with it the program's allocator, must
/// outlive the buffer.
struct deallocate_t {
    dnnl_graph_host_deallocate_f deallocate = nullptr;
    void operator()(void *buffer) const;
};
using graph_buffer_t = std::unique_ptr<void, deallocate_t>;

/// Whether the engine was made with functions of the program's.
bool has_own_allocator(const engine_t &engine);
/// At least `bytes`, aligned to a cache line. Throws std::bad_alloc, also where the program's
/// function returns null.
graph_buffer_t allocate(const engine_t &engine, size_t bytes);

} // namespace kiln::graph
