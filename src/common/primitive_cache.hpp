// SPDX-License-Identifier: Apache-2.0
// The primitive cache: primitives that were made before, the least recently used leaving first.
#pragma once

#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "common/primitive.hpp"

namespace kiln {

class primitive_cache_t {
public:
    using value_t = std::shared_ptr<const cached_primitive_t>;

    explicit primitive_cache_t(int capacity)
        : capacity_(static_cast<size_t>(capacity)) {}

    /// The primitive for `pd`, made by the first thread that asks; others wait for it. `hit` tells
    /// whether it was there.
    status_t get(const std::shared_ptr<const primitive_desc_t> &pd, value_t &value, bool &hit);

    int capacity() const;
    /// Drops what exceeds the new capacity; 0 turns the cache off.
    void set_capacity(int capacity);
    int size() const;

private:
    struct result_t {
        status_t status;
        value_t value;
    };
    struct key_t {
        std::shared_ptr<const primitive_desc_t> pd;
        bool operator==(const key_t &other) const { return pd->same_primitive(*other.pd); }
    };
    struct key_hash_t {
        size_t operator()(const key_t &key) const { return key.pd->hash(); }
    };
    struct entry_t {
        key_t key;
        std::shared_future<result_t> result;
    };
    using entries_t = std::list<entry_t>; // most recently used first

    static result_t make(const std::shared_ptr<const primitive_desc_t> &pd);
    /// A new entry in front, still without a result.
    void insert(const key_t &key);
    void shrink_to(size_t count);
    void forget(const key_t &key);

    mutable std::mutex mutex_;
    size_t capacity_;
    entries_t entries_;
    std::unordered_map<key_t, entries_t::iterator, key_hash_t> index_;
};

/// The cache behind the C interface.
primitive_cache_t &primitive_cache();

} // namespace kiln
