// SPDX-License-Identifier: Apache-2.0
// Group normalization of every rank, in plain, permuted, pitched and blocked layouts, the operands
// laid out alike and unlike; groups that a vector holds several of, and such that straddle blocks.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

struct channels_t {
    dnnl_dim_t count;
    std::vector<int64_t> groups;
};

const std::vector<channels_t> channel_counts{
        {1, {1}}, {13, {1, 13}}, {16, {4, 16}}, {24, {1, 3, 24}}, {37, {1, 37}}, {40, {5, 8}}};

/// Formats of N x C x spatial axes: channels outside and inside, pitched, spaced, permuted,
/// blocked.
std::vector<std::string> formats(size_t ndims) {
    switch (ndims) {
    case 2: return {"ab", "ba", "ab+3", "ab*2", "AB16b16a"};
    case 3: return {"abc", "acb", "abc+3", "acb+3", "cba", "aBc8b", "aBc16b"};
    case 4:
        return {"abcd", "acdb", "abcd+3", "acdb+5", "abcd*2", "bacd", "cdba", "aBcd8b", "aBcd16b"};
    default: return {"abcde", "acdeb", "acdeb+1", "aBcde16b"};
    }
}

std::vector<dims_t> shapes(dnnl_dim_t channels) {
    return {{5, channels}, {2, channels, 9}, {3, channels, 7, 7}, {2, channels, 1, 1},
            {1, channels, 4, 33}, {2, channels, 2, 3, 5}};
}

template <typename visitor_t> void for_each_layout(visitor_t visit) {
    for (const auto &[count, groups] : channel_counts)
        for (const auto group : groups)
            for (const auto &dims : shapes(count))
                for (const auto &format : formats(dims.size())) {
                    problem_t problem;
                    problem.dims = dims;
                    problem.groups = group;
                    problem.flags = scale | shift;
                    problem.set_formats(format);
                    visit(problem);
                }
}

testing::AssertionResult is_right(const problem_t &problem) {
    return problem.is_forward() ? is_forward_right(problem) : is_backward_right(problem);
}

TEST(group_normalization_layouts, forward_is_right_in_every_layout) {
    for_each_layout([](problem_t problem) {
        for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
            problem.placement = placement;
            EXPECT_TRUE(is_forward_right(problem));
        }
        problem.flags |= global_stats;
        problem.prop_kind = dnnl_forward_inference;
        EXPECT_TRUE(is_forward_right(problem));
    });
}

TEST(group_normalization_layouts, backward_is_right_in_every_layout) {
    for_each_layout([](problem_t problem) {
        problem.prop_kind = dnnl_backward;
        for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
            problem.placement = placement;
            EXPECT_TRUE(is_backward_right(problem));
        }
        problem.flags |= global_stats;
        EXPECT_TRUE(is_backward_right(problem));
    });
}

TEST(group_normalization_layouts, narrow_types_are_right_in_every_layout) {
    auto type = dnnl_bf16, other = dnnl_f16;
    for_each_layout([&](problem_t problem) {
        std::swap(type, other); // in turn: each has layouts of every kind
        problem.set_types(type);
        EXPECT_TRUE(is_forward_right(problem));
        problem.prop_kind = dnnl_backward;
        EXPECT_TRUE(is_backward_right(problem));
    });
}

TEST(group_normalization_layouts, integers_are_right_in_every_layout) {
    for_each_layout([](problem_t problem) {
        problem.src_type = dnnl_s8;
        problem.dst_type = dnnl_u8;
        EXPECT_TRUE(is_forward_right(problem));
    });
}

const std::vector<std::string> unlike{
        "abcd", "acdb", "acdb+5", "bacd", "abcd*2", "aBcd8b", "aBcd16b", "ABcd16b16a"};

TEST(group_normalization_layouts, operands_may_lie_in_different_layouts) {
    for (size_t i = 0; i < unlike.size(); ++i)
        for (size_t j = 0; j < unlike.size(); ++j)
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                problem_t problem;
                problem.prop_kind = prop_kind;
                problem.dims = {3, 21, 3, 4};
                problem.groups = 3;
                problem.flags = scale | shift;
                problem.src_format = unlike[i];
                problem.dst_format = unlike[j];
                problem.diff_src_format = unlike[(i + 2 * j) % unlike.size()];
                EXPECT_TRUE(is_right(problem));
            }
}

// A shift makes the padding's normalized value different from zero, which must not be stored.
TEST(group_normalization_layouts, padding_is_zero_after_post_ops_too) {
    for (const auto &[count, groups] : channel_counts)
        for (const std::string format : {"aBcd4b", "aBcd8b", "aBcd16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
                problem_t problem;
                problem.prop_kind = dnnl_forward_inference;
                problem.dims = {2, count, 3, 3};
                problem.groups = groups.back();
                problem.flags = scale | shift;
                problem.set_formats(format);
                problem.dst_type = type;
                problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
                EXPECT_TRUE(is_forward_right(problem));
            }
}

// One group of one sample, whose work is cut along space; many samples, many groups.
TEST(group_normalization_layouts, shapes_whose_work_is_cut_in_other_ways) {
    const std::pair<dims_t, int64_t> cases[]{{{1, 3, 60, 61}, 1}, {{1, 1, 1, 5003}, 1},
            {{1, 96, 20, 21}, 1}, {{1, 96, 20, 21}, 32}, {{2, 640, 3, 3}, 32}, {{130, 6, 3, 3}, 2},
            {{300, 40, 1, 1}, 4}, {{2, 70, 17, 3}, 70}};
    for (const auto &[dims, groups] : cases)
        for (const std::string format : {"abcd", "acdb", "acdb+3", "aBcd16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16})
                for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                    problem_t problem;
                    problem.prop_kind = prop_kind;
                    problem.dims = dims;
                    problem.groups = groups;
                    problem.flags = scale | shift;
                    problem.set_formats(format);
                    problem.set_types(type);
                    EXPECT_TRUE(is_right(problem));
                }
}

} // namespace

} // namespace kiln::test::channel_normalization
