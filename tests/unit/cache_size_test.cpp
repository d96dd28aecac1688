// SPDX-License-Identifier: Apache-2.0
// The last-level cache that a call can use, on processors other than the one at hand too.
#include "cpu/x64/cache_size.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace kiln::x64::test {

namespace {

constexpr size_t mib = size_t(1) << 20;

TEST(cache_size, that_is_usable_follows_from_what_is_reported_and_from_the_processors) {
    const struct {
        const char *machine;
        size_t reported, processors, usable;
    } rows[] = {
            {"AMD, virtual, two cores", 32 * mib, 2, 32 * mib},
            {"Intel server, virtual, two cores", 480 * mib, 2, 32 * mib},
            {"Intel server, virtual, one core", 480 * mib, 1, 32 * mib},
            {"Intel server, a container on four cores", 480 * mib, 4, 64 * mib},
            {"Intel server, whole", 480 * mib, 256, 480 * mib},
            {"Intel server, half of it", 105 * mib, 28, 105 * mib},
            {"AMD server: the cache of one die", 32 * mib, 192, 32 * mib},
            {"AMD with stacked cache, virtual, two cores", 96 * mib, 2, 32 * mib},
            {"AMD desktop with stacked cache", 96 * mib, 16, 96 * mib},
            {"desktop", 30 * mib, 16, 30 * mib},
            {"laptop", 12 * mib, 8, 12 * mib},
            {"laptop, one core", 12 * mib, 1, 12 * mib},
            {"without a third level", 2 * mib, 4, 2 * mib},
            {"no cache reported", 0, 2, mib},
            {"no processor reported", 480 * mib, 0, 32 * mib},
            {"nothing reported", 0, 0, mib},
            {"a cache smaller than any", 64, 2, mib},
            {"a cache larger than any", SIZE_MAX, 2, 32 * mib},
            {"more processors than any", 480 * mib, SIZE_MAX, 480 * mib},
            {"more of both than any", SIZE_MAX, SIZE_MAX, (size_t(1) << 16) * 16 * mib},
    };
    for (const auto &row : rows)
        EXPECT_EQ(usable_cache_size(row.reported, row.processors, 16 * mib), row.usable)
                << row.machine;
}

TEST(cache_size, of_results_is_half_where_few_processors_see_a_cache_of_many) {
    EXPECT_EQ(share_of_results(0, 2), 16 * mib);
    EXPECT_EQ(share_of_results(32 * mib, 1), 16 * mib);
    EXPECT_EQ(share_of_results(128 * mib, 2), 16 * mib);
    EXPECT_EQ(share_of_results(130 * mib, 1), 8 * mib);
    EXPECT_EQ(share_of_results(260 * mib, 2), 8 * mib);
    EXPECT_EQ(share_of_results(260 * mib, 8), 16 * mib);
    EXPECT_EQ(share_of_results(480 * mib, 0), 8 * mib);
}

TEST(cache_size, of_copies_grows_with_what_is_reported) {
    EXPECT_EQ(share_of_copies(0), 16 * mib);
    EXPECT_EQ(share_of_copies(32 * mib), 16 * mib);
    EXPECT_EQ(share_of_copies(256 * mib), 32 * mib);
    EXPECT_EQ(share_of_copies(480 * mib), 60 * mib);
    EXPECT_EQ(share_of_copies(SIZE_MAX), 64 * mib);
}

TEST(cache_size, of_a_setting_is_a_number_of_bytes_with_a_unit) {
    const struct {
        const char *text;
        size_t bytes; // 0: the text is no size
    } rows[] = {{"65536", 65536}, {"64k", 65536}, {"1m", mib}, {"32m", 32 * mib},
            {"1g", 1024 * mib}, {"1024g", mib * mib}, {"1099511627776", mib * mib},
            {"33554433", 32 * mib + 1}, {"65535", 0}, {"63k", 0}, {"0", 0}, {"0m", 0}, {"1025g", 0},
            {"1099511627777", 0}, {"99999999999999999999", 0}, {"18446744073709551615g", 0},
            {"-1m", 0}, {"+1m", 0}, {" 1m", 0}, {"1 m", 0}, {"1mb", 0}, {"1.5m", 0}, {"m", 0},
            {"", 0}, {"large", 0}, {"0x10000", 0}};
    for (const auto &row : rows)
        EXPECT_EQ(cache_size_of(row.text).value_or(0), row.bytes) << row.text;
}

TEST(cache_size, of_this_machine_is_within_the_bounds) {
    EXPECT_GE(last_level_cache_size(), mib);
    EXPECT_GE(second_level_cache_size(), mib / 4);
    EXPECT_LE(second_level_cache_size(), size_t(1) << 40);
    EXPECT_LE(last_level_cache_size(), size_t(1) << 40);
    EXPECT_EQ(last_level_cache_size(), last_level_cache_size());
    EXPECT_LE(last_level_cache_size_of_results(), last_level_cache_size());
    EXPECT_GE(last_level_cache_size_of_results(), last_level_cache_size() / 2);
    EXPECT_GE(last_level_cache_size_of_copies(), last_level_cache_size());
    EXPECT_LE(last_level_cache_size_of_copies(), 4 * last_level_cache_size());
}

TEST(cache_size, first_level_caches_have_a_few_ways) {
    EXPECT_GE(first_level_cache_ways(), 2U);
    EXPECT_LE(first_level_cache_ways(), 32U);
}

} // namespace
} // namespace kiln::x64::test
