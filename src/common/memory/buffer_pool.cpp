// SPDX-License-Identifier: Apache-2.0
#include "common/memory/buffer_pool.hpp"

#include <pthread.h>

namespace kiln {
namespace {

/// A number of the calling thread, mostly unlike those of others.
size_t thread_number() {
    const auto address = static_cast<uint64_t>(pthread_self());
    constexpr uint64_t golden_ratio = 0x9e3779b97f4a7c15; // spreads what differs in few bits
    return static_cast<size_t>(address * golden_ratio >> 32);
}

} // namespace

buffer_pool_t::block_t *buffer_pool_t::take_idle() {
    const size_t first = thread_number();
    for (size_t i = 0; i < capacity; ++i) {
        auto &idle = places_[(first + i) % capacity].idle;
        if (idle.load(std::memory_order_relaxed) == nullptr) continue;
        if (block_t *const block = idle.exchange(nullptr, std::memory_order_acquire)) return block;
    }
    return nullptr;
}

void buffer_pool_t::give(block_t *block) {
    const size_t first = thread_number();
    for (size_t i = 0; i < capacity && !is_closed_; ++i) {
        block_t *none = nullptr;
        if (places_[(first + i) % capacity].idle.compare_exchange_strong(
                    none, block, std::memory_order_release, std::memory_order_relaxed))
            return;
    }
    delete block;
}

void *buffer_pool_t::lease_t::take(buffer_pool_t &pool, size_t bytes) {
    pool_ = &pool;
    block_ = pool.take_idle();
    if (block_ == nullptr) block_ = new block_t;
    if (block_->size < bytes) {
        block_->data.reset(); // both at once would need more memory
        block_->size = 0;
        block_->data = allocate_buffer(bytes);
        block_->size = bytes;
    }
    return block_->data.get();
}

void buffer_pool_t::close() {
    is_closed_ = true;
    for (place_t &place : places_) delete place.idle.exchange(nullptr);
}

} // namespace kiln
