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

/// Offsets in the second tensor by those in the first, as the loops walk them.
std::map<dim_t, dim_t> walked(const std::vector<row_mode_t> &loops) {
    std::map<dim_t, dim_t> pairs{{0, 0}};
    for (const row_mode_t &loop : loops) {
        std::map<dim_t, dim_t> next;
        for (const auto &[first, second] : pairs)
            for (dim_t i = 0; i < loop.extent; ++i)
                next[first + i * loop.strides[0]] = second + i * loop.strides[1];
        pairs = std::move(next);
    }
    return pairs;
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
            const auto loops = make_loops(std::array{&one, &other});
            ASSERT_TRUE(loops) << first << " " << second;
            EXPECT_EQ(walked(*loops), true_pairs(one, other)) << first << " " << second;
        }
}

TEST(tensor_loops, stand_still_where_a_tensor_is_broadcast) {
    const memory_desc_t one = tagged({4, 32, 3}, "aBc16b"), other = tagged({1, 32, 1}, "abc");
    const auto loops = make_loops(std::array{&one, &other});
    ASSERT_TRUE(loops);
    EXPECT_EQ(walked(*loops), true_pairs(one, other));
}

TEST(tensor_loops, leave_out_axes_of_one_element) {
    const memory_desc_t one = tagged({1, 7, 1}, "abc");
    const auto loops = make_loops(std::array{&one});
    ASSERT_TRUE(loops);
    ASSERT_EQ(loops->size(), 1u);
    EXPECT_EQ(loops->front().extent, 7);
}

TEST(tensor_loops, pass_padding_along_axes_of_one_element) {
    const memory_desc_t one = tagged({4, 8, 3}, "aBc8b"), other = tagged({4, 1, 3}, "aBc16b");
    const auto loops = make_loops(std::array{&one, &other});
    ASSERT_TRUE(loops);
    EXPECT_EQ(walked(*loops), true_pairs(one, other));
}

TEST(tensor_loops, are_refused_for_padding_and_for_blocks_that_do_not_nest) {
    const memory_desc_t padded = tagged({2, 17}, "aB16b");
    EXPECT_FALSE(make_loops(std::array{&padded}));
    const memory_desc_t four = tagged({2, 12}, "aB4b"), six = tagged({2, 12}, "aB6b");
    EXPECT_FALSE(make_loops(std::array{&four, &six}));
}

} // namespace

} // namespace kiln::x64::test
