// SPDX-License-Identifier: Apache-2.0
// C entry points of allocators.
#include "graph/memory/allocator.hpp"
#include "graph/api/require.hpp"

using namespace kiln;

status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free) {
    KILN_REQUIRE_POINTERS(allocator);
    return guarded([&] {
        const bool are_given = host_malloc && host_free;
        *allocator = are_given ? new dnnl_graph_allocator{host_malloc, host_free}
                               : new dnnl_graph_allocator{nullptr, nullptr};
        return dnnl_success;
    });
}

status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator) {
    KILN_REQUIRE_POINTERS(allocator);
    delete allocator;
    return dnnl_success;
}

status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
        size_t index, const_dnnl_graph_allocator_t alloc) {
    const status_t status = dnnl_engine_create(engine, kind, index);
    if (status == dnnl_success) (*engine)->set_allocator(alloc);
    return status;
}
