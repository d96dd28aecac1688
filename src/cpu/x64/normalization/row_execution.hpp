// SPDX-License-Identifier: Apache-2.0
// What executions on rows have in common: addresses, how far ahead to fetch, when to store past the
// caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/types.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/normalization/row_plan.hpp"

namespace kiln::x64::normalization {

/// The address `elements` of `size` bytes behind `base`; null stays null.
inline std::byte *moved(const void *base, dim_t elements, dim_t size) {
    if (base == nullptr) return nullptr;
    return static_cast<std::byte *>(const_cast<void *>(base)) + elements * size;
}

/// Bytes from a row to the one to fetch while it is finished: far enough to hide a trip to memory,
/// near enough to be still cached when its turn comes.
inline dim_t prefetch_distance(dim_t row_bytes, dim_t pitch) {
    constexpr dim_t fetch_ahead = 8192;
    return (fetch_ahead + row_bytes - 1) / row_bytes * pitch;
}

/// Whether a result that starts at `data` + offset0 elements should be stored past the caches: the
/// call touches more than they hold, and every row begins at a multiple of `alignment`.
inline bool stores_past_caches(const row_plan_t &plan, dim_t bytes_touched, const void *data,
        dim_t offset0_bytes, dim_t pitch, size_t alignment) {
    if (static_cast<size_t>(bytes_touched) < last_level_cache_size()) return false;
    const auto address = reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(offset0_bytes);
    return plan.run_length() == plan.rows()
           && (address | static_cast<uintptr_t>(pitch)) % alignment == 0;
}

} // namespace kiln::x64::normalization
