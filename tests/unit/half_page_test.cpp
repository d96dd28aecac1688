// SPDX-License-Identifier: Apache-2.0
// Where buffers begin that kernels walk together with tensors.
#include "cpu/x64/rows/half_page.hpp"

#include <array>

#include <gtest/gtest.h>

namespace kiln::x64::test {

namespace {

TEST(half_page, buffers_begin_half_a_page_from_a_tensor_s_place_in_a_page) {
    alignas(64) static std::array<std::byte, 3 * page_bytes> memory;
    for (int64_t tensor = 0; tensor < page_bytes; tensor += 4)
        for (const int64_t begin : {0, 64, 2048, 4032}) {
            std::byte *const from = memory.data() + begin;
            const std::byte *const buffer =
                    half_page_from(memory.data() + page_bytes + tensor, from);
            EXPECT_GE(buffer, from);
            EXPECT_LE(buffer, from + page_bytes);
            EXPECT_EQ((buffer - from) % cache_line_bytes, 0);
            const int64_t apart = (buffer - memory.data() - tensor + 2 * page_bytes) % page_bytes;
            EXPECT_LE(apart, page_bytes / 2) << tensor << " " << begin;
            EXPECT_GT(apart, page_bytes / 2 - cache_line_bytes) << tensor << " " << begin;
        }
}

TEST(half_page, long_buffers_are_a_quarter_of_a_page_off) {
    EXPECT_EQ(quarter_page_pitch(96), 96);
    EXPECT_EQ(quarter_page_pitch(512), 1280);
    EXPECT_EQ(quarter_page_pitch(1024), 1280);
    EXPECT_EQ(quarter_page_pitch(1280), 1280);
    EXPECT_EQ(quarter_page_pitch(1296), 2304);
}

} // namespace
} // namespace kiln::x64::test
