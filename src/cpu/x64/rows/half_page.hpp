// SPDX-License-Identifier: Apache-2.0
// Where buffers begin that kernels walk together with tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64 {

/// The address of a buffer in `memory`, which has page_bytes more than the buffer needs: half a
/// page from the place in its page at which `tensor` begins. A load waits for an earlier store to
/// the same place of another page. A multiple of a cache line from `memory` on.
inline std::byte *half_page_from(const void *tensor, std::byte *memory) {
    const auto distance = reinterpret_cast<uintptr_t>(tensor) - reinterpret_cast<uintptr_t>(memory);
    const auto place = (distance + page_bytes / 2) % page_bytes;
    return memory + place / cache_line_bytes * cache_line_bytes;
}

} // namespace kiln::x64
