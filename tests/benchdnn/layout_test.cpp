// SPDX-License-Identifier: Apache-2.0
// Tags, their layouts, and the addresses of elements.
#include <map>

#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "common/tensor/tensor.hpp"

namespace benchdnn {

namespace {

layout_t layout_of(const dims_t &dims, const std::string &tag) {
    const memory_desc_t descriptor = make_descriptor(dims, dnnl_f32, tag);
    return layout_t(descriptor.get());
}

TEST(tag, names_and_x_become_letters) {
    EXPECT_EQ(normalized_tag("abx", 2), "ab");
    EXPECT_EQ(normalized_tag("abx", 5), "abcde");
    EXPECT_EQ(normalized_tag("axb", 4), "acdb");
    EXPECT_EQ(normalized_tag("axb", 1), "a");
    EXPECT_EQ(normalized_tag("xba", 3), "cba");
    EXPECT_EQ(normalized_tag("aBx16b", 4), "aBcd16b");
    EXPECT_EQ(normalized_tag("ABx16a16b", 3), "ABc16a16b");
    EXPECT_EQ(normalized_tag("tnc", 3), "abc");
    EXPECT_EQ(normalized_tag("ntc", 3), "bac");
    EXPECT_EQ(normalized_tag("nt", 2), "ba");
    EXPECT_EQ(normalized_tag("nhwc", 4), "acdb");
    EXPECT_EQ(normalized_tag("nChw16c", 4), "aBcd16b");
    EXPECT_EQ(normalized_tag("ldnc", 4), "abcd");
    EXPECT_EQ(normalized_tag("any", 3), "any");
}

TEST(tag, bad_spellings_are_refused) {
    for (const char *tag : {"", "a b", "aab", "ac", "aB", "ab16b", "aB0b", "aB16", "16ab", "axbx",
                 "ab-", "abcdefghijklm"})
        EXPECT_THROW(parse_tag(tag), bad_value_t) << tag;
    for (const char *tag : {"any", "undef", "abx", "ba", "tn", "nChw8c", "OIhw4i16o4i", "x"})
        EXPECT_EQ(parse_tag(tag), tag);
}

TEST(layout, plain_and_blocked_offsets) {
    const layout_t transposed = layout_of({2, 3, 4}, "acb");
    EXPECT_EQ(transposed.row_offset(4) + transposed.axis_offset(2, 3), 1 * 12 + 3 * 3 + 1);
    const layout_t blocked = layout_of({2, 20, 3}, "aBc8b");
    // b = 17 is block 2, place 1; a block is 3 x 8 elements, an image 3 blocks.
    EXPECT_EQ(blocked.row_offset(20 + 17) + blocked.axis_offset(2, 2), 72 + 2 * 24 + 2 * 8 + 1);
    EXPECT_EQ(blocked.bytes(), 2u * 24 * 3 * 4);
}

TEST(layout, two_level_blocks) {
    // OIhw4i16o4i of 32x32: i = 21 is outer 1, rest 5: 1 in the outer block of 4, 1 in the inner.
    const layout_t layout = layout_of({32, 32, 1, 1}, "ABcd4b16a4b");
    const dim_t offset = layout.axis_offset(0, 18) + layout.axis_offset(1, 21);
    EXPECT_EQ(offset, (1 * 2 + 1) * 256 + 1 * 64 + 2 * 4 + 1);
}

// Every element has a distinct offset, and elements and padding together fill the buffer.
TEST(layout, elements_do_not_overlap) {
    for (const char *tag : {"abc", "cab", "aBc4b", "aBc16b", "ABc4a16b"}) {
        const layout_t layout = layout_of({3, 5, 7}, tag);
        std::map<dim_t, int> seen;
        for (dim_t row = 0; row < layout.rows(); ++row)
            for (dim_t col = 0; col < layout.cols(); ++col)
                ++seen[layout.row_offset(row) + layout.axis_offset(2, col)];
        EXPECT_EQ(seen.size(), 105u) << tag;
        size_t padding = 0;
        for (const layout_t::owner_t owner : layout.owners())
            padding += owner == layout_t::owner_t::padding;
        EXPECT_EQ(seen.size() + padding, layout.bytes() / 4) << tag;
    }
}

TEST(layout, strides_leave_gaps) {
    const memory_desc_t descriptor = make_strided_descriptor({3, 4}, dnnl_f32, {10, 2});
    const std::vector<layout_t::owner_t> owners = layout_t(descriptor.get()).owners();
    ASSERT_EQ(owners.size(), 30u);
    EXPECT_EQ(owners[16], layout_t::owner_t::tensor);
    EXPECT_EQ(owners[17], layout_t::owner_t::none);
}

TEST(tensor, reads_what_it_wrote_in_any_layout) {
    for (const char *tag : {"abc", "cba", "aBc8b", "ABc4a16b"}) {
        tensor_t tensor(layout_of({3, 5, 7}, tag));
        for (dim_t row = 0; row < tensor.rows(); ++row) {
            std::vector<double> values(7);
            for (dim_t col = 0; col < 7; ++col) values[col] = static_cast<double>(row * 7 + col);
            tensor.store_row(row, values.data());
        }
        for (dim_t i = 0; i < 105; ++i) EXPECT_EQ(tensor.load(i), i) << tag;
        std::vector<double> row(7);
        tensor.load_row(11, row.data());
        EXPECT_EQ(row[6], 83) << tag;
        EXPECT_EQ(tensor.damage(), "") << tag;
    }
}

} // namespace

} // namespace benchdnn
