// SPDX-License-Identifier: Apache-2.0
// Layer normalization of every rank, in plain, permuted, pitched and blocked layouts, the operands
// laid out alike and unlike.
#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

const std::vector<dims_t> shapes{
        {1, 1},
        {1, 17},
        {5, 1},
        {3, 10},
        {7, 16},
        {4, 33},
        {2, 1000},
        {3, 4099},
        {130, 64},
        {1, 1, 5},
        {3, 4, 15},
        {2, 3, 2, 9},
        {2, 1, 3, 2, 31},
        {2, 2, 1, 2, 3, 8},
        {2, 1, 2, 2, 1, 2, 7},
        {1, 2, 1, 2, 1, 2, 2, 18},
        {2, 1, 2, 1, 2, 1, 2, 1, 6},
        {1, 2, 1, 2, 1, 2, 1, 2, 1, 5},
        {2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 4},
        {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3},
};

/// The axes in memory order: as they are, the normalized one outermost, and all reversed.
std::vector<std::string> orders(size_t ndims) {
    std::string plain;
    for (size_t axis = 0; axis < ndims; ++axis) plain += static_cast<char>('a' + axis);
    return {plain, plain.back() + plain.substr(0, ndims - 1),
            std::string(plain.rbegin(), plain.rend()), plain + "+3", plain + "*2"};
}

// Of axes a, b, c the last is normalized. Those with a capital C block it.
const std::vector<std::string> formats_of_3d{"abc", "acb", "bac", "bca", "cab", "cba", "abc+5",
        "bac+1", "acb+3", "abc*3", "aBc16b", "aBc4b", "Abc4a", "ABc4a4b", "aBC16b16c", "aCB16b16c"};
const std::vector<std::string> stat_formats_of_2d{
        "null", "any", "ab", "ba", "ab+3", "ba+2", "ab*2", "AB16b16a", "BA16a16b"};

const dims_t small_3d{3, 5, 19};

struct blocked_t {
    dims_t dims;
    std::string format;
};

// One dimension a block fills exactly, one it does not; outer axes and the normalized one.
const std::vector<blocked_t> blocked{
        {{19, 21}, "AB16b16a"},
        {{32, 16}, "AB16b16a"},
        {{5, 9}, "AB8b8a"},
        {{18, 33}, "BA16a16b"},
        {{2, 17, 3}, "aBc16b"},
        {{2, 16, 3}, "aBc16b"},
        {{2, 5, 7}, "aBc8b"},
        {{2, 3, 5, 7}, "aBcd4b"},
        {{2, 16, 2, 9}, "aBcd16b"},
        {{2, 3, 5, 7}, "abCd4c"},
        {{2, 3, 4, 18}, "abDc16d"},
        {{17, 3, 2, 5}, "Abcd16a"},
        {{2, 9, 2, 3, 5}, "aBcde8b"},
        {{2, 3, 2, 4, 17}, "abdEc16e"},
        {{2, 5, 2, 1, 2, 6}, "aBcdef4b"},
};

problem_t with_weights(dnnl_prop_kind_t prop_kind, const dims_t &dims) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = scale | shift;
    return problem;
}

void set_formats(problem_t &problem, const std::string &format) {
    problem.src_format = problem.dst_format = problem.diff_src_format = format;
}

TEST(layer_normalization_layouts, forward_is_right_for_every_rank) {
    for (const auto &dims : shapes)
        for (const auto &order : orders(dims.size()))
            for (const auto placement :
                    {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                auto problem = with_weights(dnnl_forward_training, dims);
                set_formats(problem, order);
                problem.placement = placement;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(layer_normalization_layouts, backward_is_right_for_every_rank) {
    for (const auto &dims : shapes)
        for (const auto &order : orders(dims.size()))
            for (const auto placement :
                    {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                auto problem = with_weights(dnnl_backward, dims);
                set_formats(problem, order);
                problem.placement = placement;
                EXPECT_TRUE(is_backward_right(problem));
            }
}

TEST(layer_normalization_layouts, forward_takes_src_and_dst_in_different_layouts) {
    for (const auto &src : formats_of_3d)
        for (const auto &dst : formats_of_3d) {
            auto problem = with_weights(dnnl_forward_training, small_3d);
            problem.src_format = src;
            problem.dst_format = dst;
            EXPECT_TRUE(is_forward_right(problem));
        }
}

TEST(layer_normalization_layouts, backward_takes_operands_in_different_layouts) {
    for (size_t i = 0; i < formats_of_3d.size(); ++i)
        for (size_t j = 0; j < formats_of_3d.size(); ++j) {
            auto problem = with_weights(dnnl_backward, small_3d);
            problem.src_format = formats_of_3d[i];
            problem.dst_format = formats_of_3d[j];
            problem.diff_src_format = formats_of_3d[(i + 2 * j) % formats_of_3d.size()];
            EXPECT_TRUE(is_backward_right(problem));
        }
}

TEST(layer_normalization_layouts, blocks_may_lie_on_any_axis) {
    for (const auto &[dims, format] : blocked)
        for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
            auto forward = with_weights(dnnl_forward_training, dims);
            set_formats(forward, format);
            forward.placement = placement;
            EXPECT_TRUE(is_forward_right(forward));
            auto backward = with_weights(dnnl_backward, dims);
            set_formats(backward, format);
            backward.placement = placement;
            EXPECT_TRUE(is_backward_right(backward));
        }
}

// A shift makes the padding's normalized value different from zero, which must not be stored.
TEST(layer_normalization_layouts, padding_is_zero_after_post_ops_too) {
    for (const auto &[dims, format] : blocked) {
        auto problem = with_weights(dnnl_forward_inference, dims);
        set_formats(problem, format);
        problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
        EXPECT_TRUE(is_forward_right(problem));
    }
}

TEST(layer_normalization_layouts, statistics_may_lie_in_any_layout) {
    for (const auto &src : {"abc", "bac", "acb", "aBc16b", "aBC16b16c"})
        for (const auto &stat : stat_formats_of_2d)
            for (const unsigned flags : {0u, global_stats, rms}) {
                auto forward = with_weights(dnnl_forward_training, small_3d);
                forward.flags = flags;
                set_formats(forward, src);
                forward.stat_format = stat;
                EXPECT_TRUE(is_forward_right(forward));
                auto backward = with_weights(dnnl_backward, small_3d);
                backward.flags = flags | scale;
                set_formats(backward, src);
                backward.stat_format = stat;
                EXPECT_TRUE(is_backward_right(backward));
            }
}

TEST(layer_normalization_layouts, statistics_of_a_matrix_may_be_spaced) {
    for (const auto &stat : {"a", "a*3"}) {
        auto forward = with_weights(dnnl_forward_training, {9, 12});
        forward.stat_format = stat;
        EXPECT_TRUE(is_forward_right(forward));
        auto backward = with_weights(dnnl_backward, {9, 12});
        backward.stat_format = stat;
        EXPECT_TRUE(is_backward_right(backward));
    }
}

} // namespace

} // namespace kiln::test::layer_normalization
