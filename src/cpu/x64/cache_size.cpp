// SPDX-License-Identifier: Apache-2.0
// The sizes of caches, by CPUID. The operating system and the C library are not asked: on some
// processors with several dies their figure includes the caches of other cores.

#include "cpu/x64/cache_size.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include "common/environment.hpp"
#include "cpu/x64/cpuid.hpp"

namespace kiln::x64 {
namespace {

constexpr size_t mebibyte = size_t(1) << 20;

struct cache_t {
    size_t bytes = 0, ways = 0; // ways: lines that share a set
};

/// The largest data caches that CPUID reports: of the first level, of the second, and of all. One
/// that it does not report has 0 bytes.
struct caches_t {
    cache_t first, second, last;
};

/// The caches that a leaf of cache parameters lists.
/// Source: Intel SDM volume 2, CPUID leaf 4; AMD64 APM volume 3, CPUID Fn8000_001D, which has the
/// same format.
caches_t listed_caches(const cpuid_range_t &range, uint32_t leaf) {
    constexpr unsigned no_more = 0;
    constexpr unsigned instruction_cache = 2;
    constexpr unsigned most_caches = 16;
    caches_t caches;
    const auto note = [](cache_t &largest, const cache_t &cache) {
        if (cache.bytes > largest.bytes) largest = cache;
    };
    for (unsigned index = 0; index < most_caches; ++index) {
        const cpuid_t found = range.leaf(leaf, index);
        const unsigned kind = found.eax & 0x1f, level = found.eax >> 5 & 7;
        if (kind == no_more) break;
        if (kind == instruction_cache) continue;
        const size_t ways = (found.ebx >> 22) + 1, partitions = (found.ebx >> 12 & 0x3ff) + 1;
        const size_t line = (found.ebx & 0xfff) + 1, sets = size_t(found.ecx) + 1;
        const cache_t cache{ways * partitions * line * sets, ways};
        note(caches.last, cache);
        if (level == 1) note(caches.first, cache);
        if (level == 2) note(caches.second, cache);
    }
    return caches;
}

/// Those of AMD's leaf if it lists any, else those of Intel's.
const caches_t &reported_caches() {
    static const caches_t reported = [] {
        const caches_t caches = listed_caches(cpuid_range_t(cpuid_range_t::extended), 0x8000001d);
        if (caches.last.bytes != 0) return caches;
        return listed_caches(cpuid_range_t(cpuid_range_t::basic), 4);
    }();
    return reported;
}

/// The processors that the process may run on: the affinity of its first thread, which does not
/// depend on the thread that asks. Those of the machine if the system does not say.
size_t processors_of_process() {
    cpu_set_t sets[16]; // of 1024 processors each
    if (sched_getaffinity(getpid(), sizeof(sets), sets) != 0)
        return size_t(std::thread::hardware_concurrency());
    return size_t(CPU_COUNT_S(sizeof(sets), sets));
}

/// A processor's share of the last-level cache.
constexpr size_t common_share = 16 * mebibyte;

/// The size that KILN_CACHE_SIZE gives; if it is not set, the usable one of this machine and
/// process with `share` bytes per processor.
size_t size_by_environment(size_t share) {
    const size_t standard =
            usable_cache_size(reported_caches().last.bytes, processors_of_process(), share);
    return environment_setting("KILN_CACHE_SIZE", standard,
            "a number of bytes (with K, M or G: of KiB, MiB or GiB) from 64K to 1024G",
            [&](const std::string &text) {
                if (const std::optional<size_t> bytes = cache_size_of(text))
                    return reading_t<size_t>{*bytes};
                return reading_t<size_t>{standard, std::to_string(standard)};
            });
}

} // namespace

size_t usable_cache_size(size_t reported, size_t processors, size_t share) {
    constexpr size_t least = mebibyte; // also if CPUID reports no cache
    constexpr size_t most_processors = size_t(1) << 16;
    return std::clamp(reported, least, share * std::clamp(processors, size_t(2), most_processors));
}

size_t share_of_copies(size_t reported) {
    return std::clamp(reported / 8, common_share, 64 * mebibyte);
}

size_t share_of_results(size_t reported, size_t processors) {
    constexpr size_t most = 64 * mebibyte;
    return reported / std::max(processors, size_t(2)) > most ? common_share / 2 : common_share;
}

std::optional<size_t> cache_size_of(std::string_view text) {
    constexpr size_t least = size_t(64) << 10, most = size_t(1) << 40;
    size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view unit = text.substr(size_t(end - text.data()));
    const int shift = unit.empty()  ? 0
                      : unit == "k" ? 10
                      : unit == "m" ? 20
                      : unit == "g" ? 30
                                    : -1;
    if (shift < 0 || number > most >> shift || number << shift < least) return std::nullopt;
    return number << shift;
}

size_t last_level_cache_size() {
    static const size_t size = size_by_environment(common_share);
    return size;
}

size_t last_level_cache_size_of_results() {
    static const size_t size = size_by_environment(
            share_of_results(reported_caches().last.bytes, processors_of_process()));
    return size;
}

size_t last_level_cache_size_of_copies() {
    static const size_t size = size_by_environment(share_of_copies(reported_caches().last.bytes));
    return size;
}

size_t second_level_cache_size() {
    static const size_t size = [] {
        constexpr size_t least = size_t(256) << 10, standard = size_t(1) << 20;
        const size_t reported = reported_caches().second.bytes;
        return reported == 0 ? standard : std::max(least, reported);
    }();
    return size;
}

size_t first_level_cache_ways() {
    static const size_t ways = [] {
        constexpr size_t standard = 8;
        const cache_t &reported = reported_caches().first;
        return reported.bytes == 0 ? standard : reported.ways;
    }();
    return ways;
}

} // namespace kiln::x64
