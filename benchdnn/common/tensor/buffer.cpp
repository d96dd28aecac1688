// SPDX-License-Identifier: Apache-2.0
// The bytes of one tensor between inaccessible pages.
#include "common/tensor/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace benchdnn {

namespace {

constexpr size_t page = 4096;
// Wide enough that a loop that continues for a row or two, or for an unrolled iteration, ends in
// it. It takes addresses, but no memory.
constexpr size_t guard_bytes = 16 * page;

size_t whole_pages(size_t bytes) { return std::max<size_t>(1, (bytes + page - 1) / page) * page; }

} // namespace

void unmap_t::operator()(unsigned char *space) const { munmap(space, bytes); }

buffer_t::buffer_t(size_t bytes, placement_t placement)
    : bytes_(bytes)
    , placement_(placement) {
    const size_t inside = whole_pages(bytes), total = inside + 2 * guard_bytes;
    if (total < bytes) throw std::bad_alloc();
    void *const space =
            mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) throw std::bad_alloc();
    space_ = {static_cast<unsigned char *>(space), unmap_t{total}};
    unsigned char *const first = space_.get() + guard_bytes;
    if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(first, garbage, inside);
    data_ = placement == placement_t::begins_at_guard ? first : first + inside - bytes;
}

size_t buffer_t::slack_bytes() const { return whole_pages(bytes_) - bytes_; }

unsigned char *buffer_t::slack() const {
    return placement_ == placement_t::begins_at_guard ? data_ + bytes_ : data_ - slack_bytes();
}

void buffer_t::move_to(placement_t placement) {
    if (!data_ || placement == placement_) return;
    unsigned char *const target = placement == placement_t::begins_at_guard ? data_ - slack_bytes()
                                                                            : data_ + slack_bytes();
    std::memmove(target, data_, bytes_);
    data_ = target;
    placement_ = placement;
    std::memset(slack(), garbage, slack_bytes());
}

bool buffer_t::slack_intact() const {
    return !data_ || std::all_of(slack(), slack() + slack_bytes(), [](unsigned char byte) {
        return byte == garbage;
    });
}

uint64_t buffer_t::digest() const {
    // Four independent chains of multiplications and additions: a change of any single word changes
    // the result.
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
