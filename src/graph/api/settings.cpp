// SPDX-License-Identifier: Apache-2.0
// C entry points of settings that hold for the process: caches and dumps.
#include <limits>

#include "graph/api/require.hpp"
#include "graph/dump/dump.hpp"
#include "graph/memory/constant_cache.hpp"
#include "graph/partition/compiled_partition_cache.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

status_t check_kind(dnnl_engine_kind_t kind) {
    KILN_REQUIRE(kind == dnnl_cpu, dnnl_invalid_arguments, "graph",
            "there is no engine of kind %s, only of kind cpu", dnnl_engine_kind2str(kind));
    return dnnl_success;
}

} // namespace

status_t dnnl_graph_set_constant_tensor_cache(int flag) {
    KILN_REQUIRE(flag >= 0, dnnl_invalid_arguments, "graph",
            "the flag is %d; 0 disables the constant tensor cache, a positive number enables it",
            flag);
    return guarded([&] {
        constant_cache().set_capacity(flag == 0 ? 0 : std::numeric_limits<size_t>::max());
        return dnnl_success;
    });
}

status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
    KILN_REQUIRE_POINTERS(flag);
    return guarded([&] {
        *flag = constant_cache().capacity() != 0;
        return dnnl_success;
    });
}

status_t dnnl_graph_set_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t size) {
    KILN_TRY(check_kind(eng_kind));
    return guarded([&] {
        constant_cache().set_capacity(bytes_of_mebibytes(size));
        return dnnl_success;
    });
}

status_t dnnl_graph_get_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t *size) {
    KILN_REQUIRE_POINTERS(size);
    KILN_TRY(check_kind(eng_kind));
    return guarded([&] {
        *size = constant_cache().capacity() / mebibyte;
        return dnnl_success;
    });
}

status_t dnnl_graph_get_compiled_partition_cache_capacity(int *capacity) {
    KILN_REQUIRE_POINTERS(capacity);
    return guarded([&] {
        *capacity = compiled_partition_cache_capacity();
        return dnnl_success;
    });
}

status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity) {
    KILN_REQUIRE(capacity >= 0, dnnl_invalid_arguments, "graph",
            "the capacity is %d, and cannot be negative", capacity);
    return guarded([&] {
        set_compiled_partition_cache_capacity(capacity);
        return dnnl_success;
    });
}

status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes) {
    return guarded([&]() -> status_t {
        KILN_REQUIRE(set_dump_modes(modes), dnnl_invalid_arguments, "graph",
                "dump mode %d has bits other than those of dnnl_graph_dump_mode_t",
                static_cast<int>(modes));
        return dnnl_success;
    });
}
