// SPDX-License-Identifier: Apache-2.0
// C entries of the engine.

#include "common/primitive/engine.hpp"

#include "common/verbose/verbose.hpp"

using namespace kiln;

namespace {
constexpr size_t cpu_count = 1;
size_t count(engine_kind_t kind) { return kind == dnnl_cpu ? cpu_count : 0; }
} // namespace

size_t dnnl_engine_get_count(engine_kind_t kind) { return count(kind); }

status_t dnnl_engine_create(engine_t **engine, engine_kind_t kind, size_t index) {
    KILN_REQUIRE_AS(error, engine, dnnl_invalid_arguments, "runtime", "engine is a null pointer");
    KILN_REQUIRE_AS(error, count(kind) > 0, dnnl_invalid_arguments, "runtime",
            "no device of engine kind %s is available", dnnl_engine_kind2str(kind));
    KILN_REQUIRE_AS(error, index < count(kind), dnnl_invalid_arguments, "runtime",
            "the index of the %s device is %zu; it must be less than %zu",
            dnnl_engine_kind2str(kind), index, count(kind));
    return guarded([&] {
        *engine = create_cpu_engine(index);
        return dnnl_success;
    });
}

status_t dnnl_engine_get_kind(engine_t *engine, engine_kind_t *kind) {
    if (engine == nullptr || kind == nullptr) return dnnl_invalid_arguments;
    *kind = engine->kind();
    return dnnl_success;
}

status_t dnnl_engine_destroy(engine_t *engine) {
    if (engine) engine->release();
    return dnnl_success;
}
