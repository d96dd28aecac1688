// SPDX-License-Identifier: Apache-2.0
// Empties the library's caches, so that an input does not depend on those before it, and that what
// is allocated and not freed is a leak.
#pragma once

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::fuzz {

inline void empty_caches() {
    for (const int capacity : {0, 64}) {
        dnnl_set_primitive_cache_capacity(capacity);
        dnnl_graph_set_compiled_partition_cache_capacity(capacity);
    }
}

} // namespace kiln::fuzz
