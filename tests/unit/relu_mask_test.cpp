// SPDX-License-Identifier: Apache-2.0
// Where the bits of a fused ReLU's mask lie.
#include "common/operations/normalization/relu_mask.hpp"

#include <set>

#include <gtest/gtest.h>

namespace kiln {
namespace {

memory_desc_t src_of(std::initializer_list<dim_t> dims, const char *tag) {
    memory_desc_t md{};
    EXPECT_EQ(init_by_tag_name(md, int(dims.size()), dims.begin(), dnnl_f32, tag), dnnl_success);
    return md;
}

memory_desc_t mask_of(const memory_desc_t &src) {
    memory_desc_t bits;
    init_relu_mask(bits, src);
    return bits;
}

/// The bit of each element, in row-major order.
std::vector<dim_t> bits_of(const memory_desc_t &mask) {
    const layout_t layout(mask);
    std::vector<dim_t> bits;
    dims_t at{};
    for (dim_t left = element_count(mask); left > 0; --left) {
        bits.push_back(layout.offset(at));
        for (int d = mask.ndims - 1; d >= 0; --d) {
            if (++at[d] < mask.dims[d]) break;
            at[d] = 0;
        }
    }
    return bits;
}

struct sample_t {
    std::initializer_list<dim_t> dims;
    const char *tag;
};

const sample_t samples[]{
        {{2, 3, 7, 7}, "abcd"},
        {{2, 3, 7, 7}, "acdb"},
        {{2, 13, 7, 7}, "aBcd8b"},
        {{2, 37, 7, 7}, "aBcd16b"},
        {{2, 5, 3, 3}, "aBcd4b"},
        {{5, 13}, "ab"},
        {{5, 13}, "ba"},
        {{2, 3, 1, 1}, "abcd"},
        {{3, 4, 2, 3, 5}, "acdeb"},
        {{3, 4, 2, 3, 5}, "abcde"},
        {{18, 21, 2, 2}, "ABcd16b16a"},
};

TEST(relu_mask, gives_each_element_a_bit_inside_the_mask) {
    for (const sample_t &sample : samples) {
        const auto mask = mask_of(src_of(sample.dims, sample.tag));
        const auto bits = bits_of(mask);
        const std::set<dim_t> distinct(bits.begin(), bits.end());
        EXPECT_EQ(distinct.size(), bits.size()) << sample.tag;
        EXPECT_GE(*distinct.begin(), 0) << sample.tag;
        EXPECT_LT(*distinct.rbegin(), 8 * relu_mask_bytes(mask)) << sample.tag;
    }
}

// A submemory may have a part of a block.
TEST(relu_mask, gives_each_element_of_a_part_a_bit_inside_the_mask) {
    for (const dim_t channels : {1, 2, 4, 15}) {
        memory_desc_t src = src_of({2, 48, 3, 5}, "aBcd16b");
        src.dims[1] = src.padded_dims[1] = channels;
        const auto mask = mask_of(src);
        const auto bits = bits_of(mask);
        const std::set<dim_t> distinct(bits.begin(), bits.end());
        EXPECT_EQ(distinct.size(), bits.size()) << channels;
        EXPECT_LT(*distinct.rbegin(), 8 * relu_mask_bytes(mask)) << channels;
    }
}

// 49 bits begin anew in the next byte: no two planes share one.
TEST(relu_mask, planes_begin_on_a_byte) {
    const auto mask = mask_of(src_of({2, 3, 7, 7}, "abcd"));
    const auto bits = bits_of(mask);
    for (size_t plane = 0; plane < 6; ++plane)
        for (size_t i = 0; i < 49; ++i)
            EXPECT_EQ(bits[plane * 49 + i], dim_t(plane * 56 + i)) << plane << ' ' << i;
    EXPECT_EQ(relu_mask_bytes(mask), 6 * 7);
}

// Bits of adjacent channels lie together, and each pixel begins on a byte.
TEST(relu_mask, pixels_of_channels_begin_on_a_byte) {
    const auto mask = mask_of(src_of({2, 13, 7, 7}, "acdb"));
    const layout_t layout(mask);
    for (dim_t pixel = 0; pixel < 49; ++pixel)
        for (dim_t c = 0; c < 13; ++c) {
            const dims_t at{1, c, pixel / 7, pixel % 7};
            EXPECT_EQ(layout.offset(at), (49 + pixel) * 16 + c);
        }
    EXPECT_EQ(relu_mask_bytes(mask), 2 * 49 * 2);
}

TEST(relu_mask, blocks_begin_on_a_byte) {
    for (const auto &[tag, block] : {std::pair{"aBcd4b", 8}, {"aBcd8b", 8}, {"aBcd16b", 16}}) {
        const auto mask = mask_of(src_of({2, 13, 7, 7}, tag));
        const layout_t layout(mask);
        dims_t at{};
        for (at[0] = 0; at[0] < 2; ++at[0])
            for (at[2] = 0; at[2] < 7; ++at[2])
                for (at[3] = 0; at[3] < 7; ++at[3]) EXPECT_EQ(layout.offset(at) % block, 0) << tag;
    }
}

/// The same shape and order in memory with another data type, an offset and gaps.
TEST(relu_mask, does_not_depend_on_types_offsets_and_outer_gaps) {
    const auto dense = src_of({2, 13, 7, 7}, "acdb");
    auto other = dense;
    other.data_type = dnnl_bf16;
    other.offset0 = 100;
    other.format_desc.blocking.strides[0] += 64;
    EXPECT_TRUE(mask_of(dense) == mask_of(other));
    const auto planes = src_of({2, 13, 7, 7}, "abcd");
    auto apart = planes;
    apart.format_desc.blocking.strides[0] *= 2;
    EXPECT_TRUE(mask_of(planes) == mask_of(apart));
}

TEST(relu_mask, differs_where_the_order_in_memory_does) {
    const auto plain = mask_of(src_of({2, 16, 7, 7}, "abcd"));
    for (const char *tag : {"acdb", "aBcd8b", "aBcd16b", "abdc"})
        EXPECT_FALSE(plain == mask_of(src_of({2, 16, 7, 7}, tag))) << tag;
}

} // namespace
} // namespace kiln
