// SPDX-License-Identifier: Apache-2.0
// The cache of what programs make of constant tensors, limited in bytes.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "graph/allocator.hpp"

namespace kiln::graph {

class constant_cache_t {
public:
    /// A program, and the buffers of the constants it was given.
    struct key_t {
        size_t program;
        std::vector<const void *> inputs;
        auto operator<=>(const key_t &) const = default;
    };
    using block_t = std::shared_ptr<const graph_buffer_t>;

    explicit constant_cache_t(size_t capacity)
        : capacity_(capacity) {}

    /// The block of that key; `make(void *)` fills a new one of `bytes`. None where it does not
    /// fit: what is there is not dropped for new ones, as in oneDNN.
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
        blocks_.emplace(key, held_t{made, bytes});
        used_ += bytes;
        block = std::move(made);
        return dnnl_success;
    }

    /// Forgets what a program left, whatever it was given.
    void drop(size_t program);
    size_t capacity() const;
    /// Drops everything where it does not fit any more.
    void set_capacity(size_t bytes);

private:
    struct held_t {
        block_t block;
        size_t bytes;
    };

    mutable std::mutex mutex_;
    size_t capacity_;
    size_t used_ = 0;
    std::map<key_t, held_t> blocks_;
};

/// The cache behind the C interface; off unless the environment or the program gives it a capacity.
constant_cache_t &constant_cache();

} // namespace kiln::graph
