// SPDX-License-Identifier: Apache-2.0
// Where buffers begin that kernels walk together with tensors or with each other. A load waits for
// an earlier store to the same place of another page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64 {

/// The address of a buffer in `memory`, which has page_bytes more than the buffer needs: half a
/// page from the place in its page at which `tensor` begins. A multiple of a cache line from
/// `memory` on.
inline std::byte *half_page_from(const void *tensor, std::byte *memory) {
    const auto distance = reinterpret_cast<uintptr_t>(tensor) - reinterpret_cast<uintptr_t>(memory);
    const auto place = (distance + page_bytes / 2) % page_bytes;
    return memory + place / cache_line_bytes * cache_line_bytes;
}

/// At least `floats`, from a long buffer of so many floats to the next one: up to four of them lie
/// a quarter of a page or more apart within their pages.
constexpr int64_t quarter_page_pitch(int64_t floats) {
    constexpr int64_t page = page_bytes / int64_t(sizeof(float)), quarter = page / 4;
    constexpr int64_t shortest_long = 512;
    if (floats < shortest_long) return floats;
    return (floats - quarter + page - 1) / page * page + quarter;
}

} // namespace kiln::x64
