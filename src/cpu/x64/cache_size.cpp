// SPDX-License-Identifier: Apache-2.0
// The size of the last-level cache by CPUID. The operating system and the C library are not asked:
// on some processors with several dies their figure includes the caches of other cores.

#include "cpu/x64/cache_size.hpp"

#include <algorithm>
#include <thread>

#include <cpuid.h>

namespace kiln::x64 {
namespace {

/// Bytes of the largest data cache that a leaf of cache parameters lists; 0 if the leaf is absent.
/// Source: Intel SDM volume 2, CPUID leaf 4; AMD64 APM volume 3, CPUID Fn8000_001D, which has the
/// same format.
size_t largest_cache(unsigned leaf) {
    constexpr unsigned no_more = 0;
    constexpr unsigned instruction_cache = 2;
    constexpr unsigned most_caches = 16;
    size_t largest = 0;
    for (unsigned index = 0; index < most_caches; ++index) {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        if (!__get_cpuid_count(leaf, index, &eax, &ebx, &ecx, &edx)) break;
        const unsigned kind = eax & 0x1f;
        if (kind == no_more) break;
        if (kind == instruction_cache) continue;
        const size_t ways = (ebx >> 22) + 1, partitions = (ebx >> 12 & 0x3ff) + 1;
        const size_t line = (ebx & 0xfff) + 1, sets = size_t(ecx) + 1;
        largest = std::max(largest, ways * partitions * line * sets);
    }
    return largest;
}

} // namespace

size_t usable_cache_size(size_t reported, size_t processors) {
    constexpr size_t mebibyte = size_t(1) << 20;
    constexpr size_t unknown = mebibyte; // CPUID reports no cache
    constexpr size_t per_processor = 16 * mebibyte;
    if (reported == 0) return unknown;
    return std::min(reported, per_processor * std::max(size_t(2), processors));
}

size_t last_level_cache_size() {
    static const size_t size =
            usable_cache_size(std::max(largest_cache(4), largest_cache(0x8000001d)),
                    size_t(std::thread::hardware_concurrency()));
    return size;
}

} // namespace kiln::x64
