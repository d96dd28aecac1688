// SPDX-License-Identifier: Apache-2.0
// A cache for values that are expensive to make. It is shared by threads and evicts the least
// recently used entry first.
#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "common/status.hpp"

namespace kiln {

/// `value_t` is a shared pointer. Keys are compared with == and hashed by `hash_t`.
template <typename key_t, typename value_t, typename hash_t> class shared_cache_t {
public:
    explicit shared_cache_t(int capacity)
        : capacity_(static_cast<size_t>(std::max(0, capacity))) {}

    /// The value of `key`, made by the first thread that asks with `make(value_t &)`, which returns
    /// a status; others wait for it. `hit` tells whether it was in the cache. Failures are not
    /// cached.
    template <typename make_t>
    status_t get(const key_t &key, const make_t &make, value_t &value, bool &hit) {
        std::optional<std::promise<result_t>> promise;
        std::shared_future<result_t> found;
        size_t serial = 0;
        {
            const std::lock_guard lock(mutex_);
            const auto at = index_.find(key);
            if (at != index_.end()) {
                entries_.splice(entries_.begin(), entries_, at->second);
                found = at->second->result;
            } else if (capacity_ > 0) {
                shrink_to(capacity_ - 1);
                insert(key);
                entries_.front().result = promise.emplace().get_future().share();
                serial = entries_.front().serial;
            }
        }
        hit = found.valid();
        const result_t result = hit ? found.get() : made(make);
        if (!hit && serial != 0) {
            promise->set_value(result);
            if (result.status != dnnl_success) forget(key, serial);
        }
        value = result.value;
        return result.status;
    }

    /// A key that equals `other`, an object that `hash_t` hashes as such a key.
    template <typename other_t> std::optional<key_t> find(const other_t &other) const {
        const std::lock_guard lock(mutex_);
        const auto at = index_.find(other);
        return at == index_.end() ? std::nullopt : std::optional(at->first);
    }

    int capacity() const {
        const std::lock_guard lock(mutex_);
        return static_cast<int>(capacity_);
    }
    /// Drops what exceeds the new capacity; 0 turns the cache off.
    void set_capacity(int capacity) {
        const std::lock_guard lock(mutex_);
        capacity_ = static_cast<size_t>(capacity);
        shrink_to(capacity_);
    }
    /// Drops all entries, unless a thread uses the cache, which may be one that a fork has lost.
    void drop_unless_in_use() {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock) shrink_to(0);
    }
    int size() const {
        const std::lock_guard lock(mutex_);
        return static_cast<int>(entries_.size());
    }

private:
    struct result_t {
        status_t status;
        value_t value;
    };
    struct entry_t {
        key_t key;
        size_t serial;
        std::shared_future<result_t> result;
    };
    using entries_t = std::list<entry_t>; // most recently used first

    template <typename make_t> static result_t made(const make_t &make) {
        result_t result{dnnl_success, nullptr};
        result.status = guarded([&] { return make(result.value); });
        return result;
    }

    /// A new entry in front, still without a result.
    void insert(const key_t &key) {
        entries_t single; // the cache stays unchanged if memory runs out
        single.push_front({key, ++last_serial_, {}});
        index_.emplace(single.front().key, single.begin());
        entries_.splice(entries_.begin(), single);
    }

    void shrink_to(size_t count) {
        while (entries_.size() > count) {
            index_.erase(entries_.back().key);
            entries_.pop_back();
        }
    }

    void forget(const key_t &key, size_t serial) {
        const std::lock_guard lock(mutex_);
        const auto at = index_.find(key);
        // Meanwhile the entry may have been replaced by another one of the same key.
        if (at == index_.end() || at->second->serial != serial) return;
        const auto entry = at->second;
        index_.erase(at);
        entries_.erase(entry);
    }

    mutable std::mutex mutex_;
    size_t capacity_;
    size_t last_serial_ = 0;
    entries_t entries_;
    std::unordered_map<key_t, typename entries_t::iterator, hash_t, std::equal_to<>> index_;
};

} // namespace kiln
