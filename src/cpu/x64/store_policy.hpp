// SPDX-License-Identifier: Apache-2.0
// When outputs are stored with non-temporal stores, and what these stores want aligned.
#pragma once

#include <cstddef>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

// The footprint of a call is the bytes of all tensors that it reads and writes.

/// Whether the footprint is at least half of the last-level cache, as far as results are worth
/// keeping there (last_level_cache_size_of_results()). The cache holds other data as well, so the
/// call finds and leaves little of its tensors there.
bool fills_half_of_cache(dim_t footprint);

/// Whether the footprint is at least 3/4 of it. Forward passes and copies, which read one tensor,
/// profit from what earlier calls left in the cache up to this size.
bool fills_most_of_cache(dim_t footprint);

/// fills_most_of_cache() for a copy between layouts, which counts on a larger share of the cache.
bool copy_fills_most_of_cache(dim_t footprint);

/// Whether the footprint exceeds the last-level cache, so that a second sweep over the same tensors
/// reads most of them from memory.
bool exceeds_cache(dim_t footprint);

/// Whether the footprint exceeds 3/2 of the last-level cache, so that little of the output stays
/// there.
bool exceeds_cache_by_half(dim_t footprint);

/// Whether kernels prefetch what they read a page ahead: where tensors exceed the second-level
/// cache. Processors themselves prefetch within a page only.
bool pays_to_fetch_next_page(dim_t footprint);

/// Whether vectors that cross cache lines are stored in halves: where tensors exceed the
/// second-level cache. A store to two lines waits for both.
bool pays_to_split_stores(dim_t footprint);

/// Whether a vector of the type has the 16 bytes that a non-temporal store needs at least.
bool has_non_temporal_stores(isa_t isa, data_type_t type);

/// Whether rows of `row` elements are worth non-temporal stores: their vectors have such stores,
/// and they are whole vectors, or so long that a partial one besides costs little.
bool suits_non_temporal_stores(isa_t isa, data_type_t type, dim_t row);

/// Bytes that a non-temporal store of a vector of elements wants its address to be a multiple of.
size_t non_temporal_alignment(isa_t isa, data_type_t type);

/// Whether rows that begin at `data`, `pitch` bytes apart, are all aligned.
bool are_aligned(const void *data, dim_t pitch, size_t alignment);

} // namespace kiln::x64
