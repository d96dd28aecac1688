// SPDX-License-Identifier: Apache-2.0
// When outputs are stored with non-temporal stores.

#include "cpu/x64/store_policy.hpp"

#include <cstdint>

#include "common/memory/data_type.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64 {
namespace {

bool exceeds_second_level_cache(dim_t footprint) {
    return static_cast<size_t>(footprint) > second_level_cache_size();
}

} // namespace

bool fills_half_of_cache(dim_t footprint) {
    return static_cast<size_t>(footprint) >= last_level_cache_size_of_results() / 2;
}

bool fills_most_of_cache(dim_t footprint) {
    return static_cast<size_t>(footprint) >= last_level_cache_size_of_results() / 4 * 3;
}

bool copy_fills_most_of_cache(dim_t footprint) {
    return static_cast<size_t>(footprint) >= last_level_cache_size_of_copies() / 4 * 3;
}

bool exceeds_cache(dim_t footprint) {
    return static_cast<size_t>(footprint) > last_level_cache_size();
}

bool exceeds_cache_by_half(dim_t footprint) {
    return static_cast<size_t>(footprint) > last_level_cache_size() / 2 * 3;
}

bool pays_to_fetch_next_page(dim_t footprint) { return exceeds_second_level_cache(footprint); }

bool pays_to_split_stores(dim_t footprint) { return exceeds_second_level_cache(footprint); }

bool has_non_temporal_stores(isa_t isa, data_type_t type) {
    constexpr size_t narrowest_store = 16;
    return non_temporal_alignment(isa, type) >= narrowest_store;
}

bool suits_non_temporal_stores(isa_t isa, data_type_t type, dim_t row) {
    constexpr dim_t many_vectors = 64;
    const dim_t lanes = jit::lanes_of(isa);
    return has_non_temporal_stores(isa, type) && (row % lanes == 0 || row >= many_vectors * lanes);
}

size_t non_temporal_alignment(isa_t isa, data_type_t type) {
    return static_cast<size_t>(jit::lanes_of(isa)) * data_type_size(type);
}

bool are_aligned(const void *data, dim_t pitch, size_t alignment) {
    return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(pitch)) % alignment == 0;
}

} // namespace kiln::x64
