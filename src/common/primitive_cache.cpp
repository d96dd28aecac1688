// SPDX-License-Identifier: Apache-2.0
// The primitive cache and its C entries.

#include "common/primitive_cache.hpp"

#include <algorithm>

#include "common/environment.hpp"
#include "common/verbose.hpp"

namespace kiln {

primitive_cache_t::result_t primitive_cache_t::make(
        const std::shared_ptr<const primitive_desc_t> &pd) {
    result_t result{dnnl_success, nullptr};
    result.status = guarded([&]() -> status_t {
        auto made = std::make_shared<cached_primitive_t>();
        made->pd = pd;
        KILN_TRY(pd->create(made->impl));
        result.value = std::move(made);
        return dnnl_success;
    });
    return result;
}

status_t primitive_cache_t::get(
        const std::shared_ptr<const primitive_desc_t> &pd, value_t &value, bool &hit) {
    const key_t key{pd};
    std::promise<result_t> promise;
    std::shared_future<result_t> found;
    bool cached = true;
    {
        const std::lock_guard lock(mutex_);
        const auto at = index_.find(key);
        if (at != index_.end()) {
            entries_.splice(entries_.begin(), entries_, at->second);
            found = at->second->result;
        } else if (capacity_ > 0) {
            shrink_to(capacity_ - 1);
            insert(key);
            entries_.front().result = promise.get_future().share();
        } else {
            cached = false;
        }
    }
    hit = found.valid();
    const result_t result = hit ? found.get() : make(pd);
    if (!hit && cached) {
        promise.set_value(result);
        if (result.status != dnnl_success) forget(key);
    }
    value = result.value;
    return result.status;
}

void primitive_cache_t::insert(const key_t &key) {
    entries_t single; // so that nothing is left behind where memory runs out
    single.push_front({key, {}});
    index_.emplace(single.front().key, single.begin());
    entries_.splice(entries_.begin(), single);
}

void primitive_cache_t::shrink_to(size_t count) {
    while (entries_.size() > count) {
        index_.erase(entries_.back().key);
        entries_.pop_back();
    }
}

void primitive_cache_t::forget(const key_t &key) {
    const std::lock_guard lock(mutex_);
    const auto at = index_.find(key);
    // Meanwhile the entry may have left and another of the same key come.
    if (at == index_.end() || at->second->key.pd != key.pd) return;
    entries_.erase(at->second);
    index_.erase(at);
}

int primitive_cache_t::capacity() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(capacity_);
}

void primitive_cache_t::set_capacity(int capacity) {
    const std::lock_guard lock(mutex_);
    capacity_ = static_cast<size_t>(capacity);
    shrink_to(capacity_);
}

int primitive_cache_t::size() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(entries_.size());
}

primitive_cache_t &primitive_cache() {
    constexpr int default_capacity = 1024;
    // Never destroyed: primitives may be made while the process ends.
    static auto *cache = new primitive_cache_t(
            std::max(0, environment_int("PRIMITIVE_CACHE_CAPACITY", default_capacity)));
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
    KILN_REQUIRE(capacity >= 0, dnnl_invalid_arguments, "primitive", "a capacity of %d", capacity);
    return guarded([&] {
        primitive_cache().set_capacity(capacity);
        return dnnl_success;
    });
}
