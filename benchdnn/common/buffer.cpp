// SPDX-License-Identifier: Apache-2.0
// Bytes for one tensor with a guard zone on both sides.
#include "common/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace benchdnn {

namespace {
constexpr size_t page = 4096;
}

void buffer_t::free_t::operator()(unsigned char *block) const { std::free(block); }

buffer_t::buffer_t(size_t bytes)
    : bytes_(bytes) {
    const size_t total = (bytes + page - 1) / page * page + 2 * guard_bytes;
    block_.reset(static_cast<unsigned char *>(std::aligned_alloc(page, total)));
    if (!block_) throw std::bad_alloc();
    std::memset(block_.get(), garbage, total);
    data_ = block_.get() + guard_bytes;
}

bool buffer_t::guards_intact() const {
    if (!data_) return true;
    const auto untouched = [](const unsigned char *begin) {
        return std::all_of(
                begin, begin + guard_bytes, [](unsigned char byte) { return byte == garbage; });
    };
    return untouched(data_ - guard_bytes) && untouched(data_ + bytes_);
}

uint64_t buffer_t::digest() const {
    // Four independent multiply-add chains: any single changed word changes the result.
    constexpr uint64_t factor = 0x9e3779b97f4a7c15ull;
    uint64_t lanes[4] = {1, 2, 3, 4};
    size_t at = 0;
    for (; at + 32 <= bytes_; at += 32) {
        uint64_t words[4];
        std::memcpy(words, data_ + at, sizeof(words));
        for (int i = 0; i < 4; ++i) lanes[i] = (lanes[i] ^ words[i]) * factor;
    }
    for (; at < bytes_; ++at) lanes[at % 4] = (lanes[at % 4] ^ data_[at]) * factor;
    uint64_t digest = 0;
    for (uint64_t lane : lanes) digest = (digest ^ lane) * factor;
    return digest;
}

} // namespace benchdnn
