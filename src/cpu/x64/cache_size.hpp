// SPDX-License-Identifier: Apache-2.0
// The sizes of caches, their lines and pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::x64 {

constexpr int64_t cache_line_bytes = 64, page_bytes = 4096;

/// Bytes of last-level cache that a call can use, from what CPUID reports and the number of
/// processors that the process may run on: at most `share` per processor, at least two shares if so
/// much is reported. A server's cache spans many cores, and a virtual machine or a container with a
/// few of them reports all of it; the part beyond this bound is not faster than memory for these
/// few. 1 MiB if CPUID reports less, or no cache.
size_t usable_cache_size(size_t reported, size_t processors, size_t share);

/// The size that a setting's text, in lower case, stands for: "65536", "512k", "32m", "1g". Nothing
/// if it is not a size from 64 KiB to 1 TiB.
std::optional<size_t> cache_size_of(std::string_view text);

/// The size that KILN_CACHE_SIZE gives, else usable_cache_size() of this machine and process with
/// shares of 16 MiB. It is found once.
size_t last_level_cache_size();

/// The share of a processor for results that the next call may read: 8 MiB where CPUID reports
/// more than 64 MiB for each of them, else 16 MiB. Such a cache spans many cores, and few of them
/// read it hardly faster than memory.
size_t share_of_results(size_t reported, size_t processors);

/// last_level_cache_size() with that share.
size_t last_level_cache_size_of_results();

/// The share of a processor for copies to another layout: an eighth of what CPUID reports, from 16
/// to 64 MiB. Their stores are not in the order of memory, so that passing by the caches gains
/// less.
size_t share_of_copies(size_t reported);

/// last_level_cache_size() with that share.
size_t last_level_cache_size_of_copies();

/// Bytes of a processor's second-level cache: what CPUID reports, at least 256 KiB; 1 MiB if it
/// reports none. It is found once.
size_t second_level_cache_size();

/// Lines of a processor's first-level data cache that share a set, which are as far apart as pages;
/// 8 if CPUID reports no such cache. It is found once.
size_t first_level_cache_ways();

} // namespace kiln::x64
