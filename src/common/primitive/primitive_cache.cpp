// SPDX-License-Identifier: Apache-2.0
// The primitive cache and its C entries.

#include "common/primitive/primitive_cache.hpp"

#include <atomic>

#include "common/environment.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

status_t primitive_cache_t::get(
        const std::shared_ptr<const primitive_desc_t> &pd, value_t &value, bool &hit) {
    const auto make = [&](value_t &result) -> status_t {
        auto made = std::make_shared<cached_primitive_t>();
        made->pd = pd;
        made->impl = pd->create();
        result = std::move(made);
        return dnnl_success;
    };
    return cache_.get({pd}, make, value, hit);
}

std::shared_ptr<const primitive_desc_t> find_cached(const pd_request_t &request) {
    // A search alone writes the lines of verbose=dispatch.
    if (verbose::enabled(verbose::create_dispatch)) return nullptr;
    return primitive_cache().find(request);
}

namespace {

std::atomic<primitive_cache_t *> made_cache{nullptr};

/// When the library is unloaded: the code of primitives is unmapped.
[[gnu::destructor]] void empty_cache() {
    if (primitive_cache_t *const cache = made_cache) cache->drop_unless_in_use();
}

} // namespace

primitive_cache_t &primitive_cache() {
    constexpr int default_capacity = 1024;
    // Never destroyed: primitives may be made while the process ends.
    static auto *const cache = [] {
        auto *const made = new primitive_cache_t(
                environment_int("PRIMITIVE_CACHE_CAPACITY", default_capacity));
        made_cache = made;
        return made;
    }();
    return *cache;
}

} // namespace kiln

using namespace kiln;

status_t dnnl_get_primitive_cache_capacity(int *capacity) {
    if (capacity == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *capacity = primitive_cache().capacity();
        return dnnl_success;
    });
}

status_t dnnl_set_primitive_cache_capacity(int capacity) {
    KILN_REQUIRE(capacity >= 0, dnnl_invalid_arguments, "primitive",
            "the capacity is %d; it must not be negative", capacity);
    return guarded([&] {
        primitive_cache().set_capacity(capacity);
        return dnnl_success;
    });
}
