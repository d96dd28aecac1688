// SPDX-License-Identifier: Apache-2.0
#include "graph/memory/allocator.hpp"

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
