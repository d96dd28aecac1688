// SPDX-License-Identifier: Apache-2.0
// The constant tensor cache: what programs compute from constant inputs, limited in bytes.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "graph/memory/allocator.hpp"

namespace kiln::graph {

class constant_cache_t {
public:
    struct key_t {
        size_t program;                   ///< its id
        std::vector<const void *> inputs; ///< addresses of the constant inputs
        auto operator<=>(const key_t &) const = default;
    };
    using block_t = std::shared_ptr<const graph_buffer_t>;

    explicit constant_cache_t(size_t capacity)
        : capacity_(capacity) {}

    /// Sets `block` to the entry of that key; a new entry has `bytes` and is filled by
    /// `make(void *)`. `block` stays empty if a new entry does not fit: as in oneDNN, entries are
    /// not evicted for new ones.
    template <typename make_t>
    status_t get(const engine_t &engine, const key_t &key, size_t bytes, const make_t &make,
            block_t &block) {
        const std::lock_guard lock(mutex_);
        if (const auto at = blocks_.find(key); at != blocks_.end()) {
            block = at->second.block;
            return dnnl_success;
        }
        if (bytes > capacity_ || used_ > capacity_ - bytes) return dnnl_success;
        auto made = std::make_shared<graph_buffer_t>(allocate(engine, bytes));
        KILN_TRY(make(made->get()));
        blocks_.emplace(key, entry_t{made, bytes});
        used_ += bytes;
        block = std::move(made);
        return dnnl_success;
    }

    /// Removes all entries of a program.
    void drop(size_t program);
    size_t capacity() const;
    /// Removes all entries if they exceed the new capacity.
    void set_capacity(size_t bytes);

private:
    struct entry_t {
        block_t block;
        size_t bytes;
    };

    mutable std::mutex mutex_;
    size_t capacity_;
    size_t used_ = 0;
    std::map<key_t, entry_t> blocks_;
};

/// The process' cache. Its capacity is 0 unless the environment or the program sets it.
constant_cache_t &constant_cache();

constexpr size_t mebibyte = size_t{1} << 20;
/// `count` mebibytes, or the largest multiple of a mebibyte if that overflows.
size_t bytes_of_mebibytes(size_t count);

} // namespace kiln::graph
