// SPDX-License-Identifier: Apache-2.0
// Short rows packed into long ones: how many, what is copied, and what stays as it is.
#include "cpu/x64/rows/packed_rows.hpp"

#include <gtest/gtest.h>

namespace kiln::x64::test {

namespace {

using loops_t = std::vector<row_mode_t>;

// Operands: dst, src, then those that may be copied.
constexpr size_t first_copied = 2;

TEST(packed_rows, repeats_what_belongs_to_channels) {
    // 32 x 64 x 4 elements, a value for each of the 64 channels.
    row_mode_t line{4, {1, 1, 0}};
    loops_t loops{{32, {256, 256, 0}}, {64, {4, 4, 1}}};
    const auto packed = pack_rows(loops, line, 3, first_copied);
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->rows, 64);
    EXPECT_EQ(packed->line.extent, 4);
    EXPECT_EQ(packed->strides[2], 1);
    EXPECT_EQ(packed->copied, std::vector<size_t>{2});
    EXPECT_EQ(line.extent, 256);
    EXPECT_EQ(line.strides[2], 1);
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].extent, 32);
}

TEST(packed_rows, takes_a_part_of_a_loop_where_values_are_the_same_for_all_its_turns) {
    // 49152 pixels of 3 channels.
    row_mode_t line{3, {1, 1, 1}};
    loops_t loops{{49152, {3, 3, 0}}};
    const auto packed = pack_rows(loops, line, 3, first_copied);
    ASSERT_TRUE(packed);
    EXPECT_EQ(49152 % packed->rows, 0);
    EXPECT_EQ(line.extent, 3 * packed->rows);
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].extent, 49152 / packed->rows);
    EXPECT_EQ(loops[0].strides[0], line.extent);
    EXPECT_EQ(loops[0].strides[2], 0);
}

TEST(packed_rows, copies_what_does_not_follow_and_nothing_else) {
    // A value for each channel, one for all, one for each element.
    row_mode_t line{2, {1, 1, 0, 0, 1}};
    loops_t loops{{64, {2, 2, 1, 0, 2}}, {32, {128, 128, 0, 0, 128}}};
    const auto packed = pack_rows(loops, line, 5, first_copied);
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->copied, std::vector<size_t>{2});
    EXPECT_EQ(line.strides[3], 0);
    EXPECT_EQ(line.strides[4], 1);
}

TEST(packed_rows, of_one_vector_are_merged_where_a_value_stays) {
    // 2 x 64 x 49 x 16 elements in blocks of channels, a value for each channel.
    row_mode_t line{16, {1, 1, 1}};
    loops_t loops{{2, {50176, 50176, 0}}, {64, {784, 784, 16}}, {49, {16, 16, 0}}};
    EXPECT_EQ(repeat_rows(loops, line, 16, 3, first_copied), std::vector<size_t>{2});
    EXPECT_EQ(line.extent, 784);
    EXPECT_EQ(line.strides[2], 0);
    ASSERT_EQ(loops.size(), 2u);
    EXPECT_EQ(loops[1].strides[2], 16);
}

TEST(packed_rows, of_one_vector_are_left_where_no_operand_stays_alone) {
    const auto is_left = [](loops_t loops, row_mode_t line) {
        const row_mode_t before = line;
        return repeat_rows(loops, line, 16, 3, first_copied).empty() && line.extent == before.extent
               && line.strides == before.strides;
    };
    // Rows of two vectors; values that differ from row to row; gaps in dst; a src that stays.
    EXPECT_TRUE(is_left({{49, {32, 32, 0}}}, {32, {1, 1, 1}}));
    EXPECT_TRUE(is_left({{49, {16, 16, 32}}}, {16, {1, 1, 1}}));
    EXPECT_TRUE(is_left({{49, {32, 16, 0}}}, {16, {1, 1, 1}}));
    EXPECT_TRUE(is_left({{49, {16, 0, 0}}}, {16, {1, 1, 1}}));
}

TEST(packed_rows, leaves_alone_what_it_does_not_help) {
    const auto is_left = [](loops_t loops, row_mode_t line, size_t tensors) {
        const row_mode_t before = line;
        const bool is_packed = pack_rows(loops, line, tensors, first_copied).has_value();
        return !is_packed && line.extent == before.extent && line.strides == before.strides;
    };
    // Long rows.
    EXPECT_TRUE(is_left({{64, {49, 49, 1}}, {32, {3136, 3136, 0}}}, {49, {1, 1, 0}}, 3));
    // Values that differ from sample to sample.
    EXPECT_TRUE(is_left({{64, {4, 4, 1}}, {32, {256, 256, 64}}}, {4, {1, 1, 0}}, 3));
    // Too few rows behind the first one.
    EXPECT_TRUE(is_left({{64, {4, 4, 1}}, {4, {256, 256, 0}}}, {4, {1, 1, 0}}, 3));
    // Gaps in dst; another src for each row.
    EXPECT_TRUE(is_left({{64, {5, 4, 1}}, {32, {320, 256, 0}}}, {4, {1, 1, 0}}, 3));
    EXPECT_TRUE(is_left({{64, {4, 7, 1}}, {32, {256, 448, 0}}}, {4, {1, 1, 0}}, 3));
    // More channels than copies may have.
    EXPECT_TRUE(is_left({{100000, {4, 4, 1}}, {32, {400000, 400000, 0}}}, {4, {1, 1, 0}}, 3));
    // A prime number of pixels has no parts.
    EXPECT_TRUE(is_left({{100003, {3, 3, 0}}}, {3, {1, 1, 1}}, 3));
}

} // namespace

} // namespace kiln::x64::test
