// SPDX-License-Identifier: Apache-2.0
// Tensors of one shape as loops: all elements are met once, where each layout has them; what has
// no loops is refused.
#include "cpu/x64/layout/tensor_loops.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace kiln::x64::test {

namespace {

using shape_t = std::vector<dim_t>;

memory_desc_t tagged(const shape_t &dims, const std::string &tag) {
    memory_desc_t md = zero_md;
    EXPECT_EQ(
            init_by_tag_name(md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, tag.c_str()),
            dnnl_success)
            << tag;
    return md;
}

/// Offsets in the second tensor by those in the first, as the boxes' loops walk them.
std::map<dim_t, dim_t> walked(const std::vector<tensor_box_t> &boxes) {
    std::map<dim_t, dim_t> all;
    for (const tensor_box_t &box : boxes) {
        std::map<dim_t, dim_t> pairs{{box.origin[0], box.origin[1]}};
        for (const row_mode_t &loop : box.loops) {
            EXPECT_GT(loop.extent, 1);
            std::map<dim_t, dim_t> next;
            for (const auto &[first, second] : pairs)
                for (dim_t i = 0; i < loop.extent; ++i)
                    next[first + i * loop.strides[0]] = second + i * loop.strides[1];
            pairs = std::move(next);
        }
        for (const auto &pair : pairs) EXPECT_TRUE(all.insert(pair).second) << "met twice";
    }
    return all;
}

std::map<dim_t, dim_t> true_pairs(const memory_desc_t &first, const memory_desc_t &second) {
    const layout_t one(first), other(second);
    std::map<dim_t, dim_t> pairs;
    const dim_t count = element_count(first);
    for (dim_t i = 0; i < count; ++i) {
        dims_t at, in_second;
        dim_t rest = i;
        for (int d = first.ndims - 1; d >= 0; --d) {
            at[d] = rest % first.dims[d];
            rest /= first.dims[d];
            in_second[d] = second.dims[d] == 1 ? 0 : at[d];
        }
        pairs[one.offset(at)] = other.offset(in_second);
    }
    return pairs;
}

TEST(tensor_loops, meet_every_element_where_both_layouts_have_it) {
    const shape_t dims{4, 32, 3, 5};
    for (const char *first : {"abcd", "acdb", "aBcd8b", "aBcd16b", "ABcd4a16b", "ABcd16b4a"})
        for (const char *second : {"abcd", "dcba", "aBcd16b", "aBcd4b"}) {
            const memory_desc_t one = tagged(dims, first), other = tagged(dims, second);
            const auto boxes = make_boxes(std::array{&one, &other});
            ASSERT_TRUE(boxes) << first << " " << second;
            EXPECT_EQ(boxes->size(), 1u);
            EXPECT_EQ(walked(*boxes), true_pairs(one, other)) << first << " " << second;
        }
}

TEST(tensor_loops, are_several_boxes_where_blocks_do_not_divide_an_axis) {
    for (const shape_t &dims : {shape_t{4, 17, 3, 5}, {3, 35, 2, 2}, {1, 3, 2, 2}, {17, 1, 1, 5}})
        for (const char *first : {"abcd", "aBcd16b", "ABcd8b8a", "ABcd4a16b", "ABcd16b4a"})
            for (const char *second : {"abcd", "dcba", "aBcd16b", "aBcd4b", "ABcd2b4a"}) {
                const memory_desc_t one = tagged(dims, first), other = tagged(dims, second);
                const auto boxes = make_boxes(std::array{&one, &other});
                ASSERT_TRUE(boxes) << first << " " << second;
                EXPECT_EQ(walked(*boxes), true_pairs(one, other)) << first << " " << second;
            }
}

TEST(tensor_loops, stand_still_where_a_tensor_is_broadcast) {
    for (const char *first : {"aBc16b", "abc", "ABc16a16b"})
        for (const char *second : {"abc", "aBc16b", "Abc16a", "ABc8a8b"})
            for (const shape_t &dims : {shape_t{1, 32, 1}, {1, 1, 1}, {4, 32, 1}, {4, 1, 3}}) {
                const memory_desc_t one = tagged({4, 32, 3}, first), other = tagged(dims, second);
                const auto boxes = make_boxes(std::array{&one, &other});
                ASSERT_TRUE(boxes) << first << " " << second;
                EXPECT_EQ(walked(*boxes), true_pairs(one, other)) << first << " " << second;
            }
}

TEST(tensor_loops, begin_behind_the_offset_of_a_tensor) {
    memory_desc_t one = tagged({4, 17}, "aB16b"), other = tagged({4, 17}, "ba");
    one.offset0 = 48;
    const auto boxes = make_boxes(std::array<const memory_desc_t *, 2>{&one, &other});
    ASSERT_TRUE(boxes);
    EXPECT_EQ(walked(*boxes), true_pairs(one, other));
}

TEST(tensor_loops, leave_out_axes_of_one_element) {
    const memory_desc_t one = tagged({1, 7, 1}, "abc");
    const auto boxes = make_boxes(std::array{&one});
    ASSERT_TRUE(boxes);
    ASSERT_EQ(boxes->size(), 1u);
    ASSERT_EQ(boxes->front().loops.size(), 1u);
    EXPECT_EQ(boxes->front().loops.front().extent, 7);
}

TEST(tensor_loops, pass_padding_along_axes_of_one_element) {
    const memory_desc_t one = tagged({4, 8, 3}, "aBc8b"), other = tagged({4, 1, 3}, "aBc16b");
    const auto boxes = make_boxes(std::array{&one, &other});
    ASSERT_TRUE(boxes);
    EXPECT_EQ(boxes->size(), 1u);
    EXPECT_EQ(walked(*boxes), true_pairs(one, other));
}

TEST(tensor_loops, are_refused_for_padding_in_front_and_for_blocks_that_do_not_nest) {
    memory_desc_t padded = tagged({2, 17}, "aB16b");
    padded.padded_offsets[1] = 1;
    EXPECT_FALSE(make_boxes(std::array<const memory_desc_t *, 1>{&padded}));
    const memory_desc_t four = tagged({2, 12}, "aB4b"), six = tagged({2, 12}, "aB6b");
    EXPECT_FALSE(make_boxes(std::array{&four, &six}));
}

TEST(tensor_loops, are_refused_for_too_many_boxes) {
    const memory_desc_t one = tagged({7, 7, 7, 7}, "ABCD4a4b4c4d"),
                        two = tagged({7, 7, 7, 7}, "ABCD2a2b2c2d");
    EXPECT_FALSE(make_boxes(std::array{&one, &two}));
}

} // namespace

} // namespace kiln::x64::test
