// SPDX-License-Identifier: Apache-2.0
// Buffers from an engine's allocator, and the allocator's C entries.

#include "graph/allocator.hpp"

#include <algorithm>

#include "common/memory/memory.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln::graph {

void deallocate_t::operator()(void *buffer) const {
    if (deallocate)
        deallocate(buffer);
    else
        free_t()(buffer);
}

bool has_own_allocator(const engine_t &engine) {
    return engine.allocator() && engine.allocator()->allocate;
}

graph_buffer_t allocate(const engine_t &engine, size_t bytes) {
    if (!has_own_allocator(engine)) return {allocate_buffer(bytes).release(), {}};
    const auto &functions = *engine.allocator();
    void *const buffer = functions.allocate(std::max<size_t>(bytes, 1), scratchpad_alignment);
    if (buffer == nullptr) throw std::bad_alloc();
    return {buffer, {functions.deallocate}};
}

} // namespace kiln::graph

using namespace kiln;

status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free) {
    if (allocator == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        const bool is_whole = host_malloc && host_free;
        *allocator = is_whole ? new dnnl_graph_allocator{host_malloc, host_free}
                              : new dnnl_graph_allocator{nullptr, nullptr};
        return dnnl_success;
    });
}

status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator) {
    if (allocator == nullptr) return dnnl_invalid_arguments;
    delete allocator;
    return dnnl_success;
}

status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
        size_t index, const_dnnl_graph_allocator_t alloc) {
    const status_t status = dnnl_engine_create(engine, kind, index);
    if (status == dnnl_success) (*engine)->set_allocator(alloc);
    return status;
}
