// SPDX-License-Identifier: Apache-2.0
// Buffers that threads use for a short time, again and again.
#pragma once

#include <array>
#include <atomic>

#include "common/memory/memory.hpp"

namespace kiln {

/// A pool of buffers. A thread that takes a buffer most likely gets the one that it gave back last.
/// Taking and giving take no lock, and allocate only where no buffer of the size is idle.
///
/// A pool is static. It has no variables of threads: a destructor of a thread's variable has to be
/// registered, and the C library ends the process where it has no memory for that.
class buffer_pool_t {
    struct block_t {
        buffer_t data{};
        size_t size = 0;
    };

public:
    /// Holds a buffer until it is destroyed.
    class lease_t {
    public:
        lease_t() = default;
        lease_t(const lease_t &) = delete;
        lease_t &operator=(const lease_t &) = delete;
        ~lease_t() {
            if (block_) pool_->give(block_);
        }

        /// A buffer of at least `bytes`, aligned to a cache line; its contents are arbitrary. Taken
        /// once. Throws std::bad_alloc.
        void *take(buffer_pool_t &pool, size_t bytes);

    private:
        buffer_pool_t *pool_ = nullptr;
        block_t *block_ = nullptr;
    };

    constexpr buffer_pool_t() = default;
    buffer_pool_t(const buffer_pool_t &) = delete;
    buffer_pool_t &operator=(const buffer_pool_t &) = delete;
    /// Frees the idle buffers. From then on each lease allocates and frees its buffer. To be called
    /// when the library is unloaded; a pool is never destroyed, as leases may be taken until the
    /// process ends.
    void close();

private:
    /// At most so many buffers are idle; more are freed when they are given back.
    static constexpr size_t capacity = 128;
    /// One cache line for each, since threads give and take in places of their own.
    struct alignas(64) place_t {
        std::atomic<block_t *> idle = nullptr;
    };

    block_t *take_idle();
    void give(block_t *block);

    std::array<place_t, capacity> places_{};
    std::atomic<bool> is_closed_ = false;
};

} // namespace kiln
