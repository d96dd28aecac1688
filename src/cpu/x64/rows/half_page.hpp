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

/// At least `floats`, from a buffer of so many floats to the next one: not a number of pages.
constexpr int64_t pitch_off_pages(int64_t floats) {
    constexpr int64_t page = page_bytes / int64_t(sizeof(float));
    return floats % page == 0 ? floats + page / 8 : floats;
}

} // namespace kiln::x64
