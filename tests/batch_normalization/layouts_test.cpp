// SPDX-License-Identifier: Apache-2.0
// Batch normalization of every rank, in plain, permuted, pitched and blocked layouts, the operands
// laid out alike and unlike.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

constexpr dnnl_dim_t channel_counts[]{1, 13, 16, 24, 37};

/// Formats of N x C x spatial axes: channels outside and inside, pitched, spaced, permuted,
/// blocked.
std::vector<std::string> formats(size_t ndims) {
    switch (ndims) {
    case 2: return {"ab", "ba", "ab+3", "ab*2", "AB16b16a"};
    case 3: return {"abc", "acb", "abc+3", "acb+3", "cba", "aBc8b", "aBc16b"};
    case 4:
        return {"abcd", "acdb", "abcd+3", "acdb+5", "abcd*2", "bacd", "cdba", "aBcd4b", "aBcd8b",
                "aBcd16b", "BAcd16a16b"};
    default: return {"abcde", "acdeb", "acdeb+1", "aBcde8b", "aBcde16b"};
    }
}

/// Flags, and which end of the tensors' buffers touches an unmapped page.
const std::pair<unsigned, placement_t> executions[]{{0, placement_t::ends_at_guard},
        {relu, placement_t::ends_at_guard}, {relu, placement_t::begins_at_guard},
        {global_stats | add_relu, placement_t::ends_at_guard}};

/// Shapes with this many channels; 7x7 planes are of a size that no mask byte and no vector
/// divides, single pixels are planes of one element.
std::vector<dims_t> shapes(dnnl_dim_t channels) {
    return {{5, channels}, {2, channels, 9}, {3, channels, 7, 7}, {2, channels, 1, 1},
            {1, channels, 4, 33}, {2, channels, 2, 3, 5}};
}

problem_t with_weights(dnnl_prop_kind_t prop_kind, const dims_t &dims, unsigned flags) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = scale | shift | flags;
    return problem;
}

template <typename visitor_t> void for_each_layout(visitor_t visit) {
    for (const auto channels : channel_counts)
        for (const auto &dims : shapes(channels))
            for (const auto &format : formats(dims.size())) visit(dims, format);
}

TEST(batch_normalization_layouts, forward_is_right_in_every_layout) {
    for_each_layout([](const dims_t &dims, const std::string &format) {
        for (const auto &[flags, placement] : executions) {
            auto problem = with_weights(dnnl_forward_training, dims, flags);
            problem.set_formats(format);
            problem.placement = placement;
            EXPECT_TRUE(is_forward_right(problem));
        }
    });
}

TEST(batch_normalization_layouts, backward_is_right_in_every_layout) {
    for_each_layout([](const dims_t &dims, const std::string &format) {
        for (const auto &[flags, placement] : executions) {
            auto problem = with_weights(dnnl_backward, dims, flags);
            problem.set_formats(format);
            problem.placement = placement;
            EXPECT_TRUE(is_backward_right(problem));
        }
    });
}

TEST(batch_normalization_layouts, narrow_types_are_right_in_every_layout) {
    auto type = dnnl_bf16, other = dnnl_f16;
    for_each_layout([&](const dims_t &dims, const std::string &format) {
        std::swap(type, other); // in turn: each has layouts of every kind
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            auto problem = with_weights(prop_kind, dims, relu);
            problem.set_formats(format);
            problem.set_types(type);
            EXPECT_TRUE(
                    problem.is_forward() ? is_forward_right(problem) : is_backward_right(problem));
        }
    });
}

TEST(batch_normalization_layouts, s8_is_right_in_every_layout) {
    for_each_layout([](const dims_t &dims, const std::string &format) {
        for (const unsigned flags : {0u, relu, add_relu}) {
            auto problem = with_weights(dnnl_forward_inference, dims, global_stats | flags);
            problem.set_formats(format);
            problem.set_types(dnnl_s8);
            EXPECT_TRUE(is_forward_right(problem));
        }
    });
}

const std::vector<std::string> unlike{
        "abcd", "acdb", "acdb+5", "bacd", "abcd*2", "aBcd8b", "aBcd16b", "ABcd16b16a"};

TEST(batch_normalization_layouts, forward_takes_src_and_dst_in_different_layouts) {
    for (const auto &src : unlike)
        for (const auto &dst : unlike)
            for (const unsigned flags : {0u, add_relu}) {
                auto problem = with_weights(dnnl_forward_training, {3, 21, 3, 4}, flags);
                problem.src_format = src;
                problem.dst_format = dst;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(batch_normalization_layouts, backward_takes_operands_in_different_layouts) {
    for (size_t i = 0; i < unlike.size(); ++i)
        for (size_t j = 0; j < unlike.size(); ++j)
            for (const unsigned flags : {0u, add_relu}) {
                auto problem = with_weights(dnnl_backward, {3, 21, 3, 4}, flags);
                problem.src_format = unlike[i];
                problem.dst_format = unlike[j];
                problem.diff_src_format = unlike[(i + 2 * j) % unlike.size()];
                EXPECT_TRUE(is_backward_right(problem));
            }
}

// A shift makes the padding's normalized value different from zero, which must not be stored.
TEST(batch_normalization_layouts, padding_is_zero_after_post_ops_too) {
    for (const auto channels : channel_counts)
        for (const std::string format : {"aBcd4b", "aBcd8b", "aBcd16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
                auto problem =
                        with_weights(dnnl_forward_inference, {2, channels, 3, 3}, global_stats);
                problem.set_formats(format);
                problem.set_types(type);
                problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
                EXPECT_TRUE(is_forward_right(problem));
            }
}

// Few channels and a single sample: the work is cut along space; so many that it is cut elsewhere.
TEST(batch_normalization_layouts, shapes_whose_work_is_cut_in_other_ways) {
    for (const dims_t &dims : {dims_t{1, 3, 60, 61}, dims_t{1, 1, 1, 5003}, dims_t{2, 1, 100, 90},
                 dims_t{1, 1030, 2, 3}, dims_t{130, 5, 3, 3}, dims_t{700, 40, 1, 1}})
        for (const std::string format : {"abcd", "acdb", "aBcd16b"})
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
                for (const unsigned flags : {0u, relu}) {
                    auto problem = with_weights(prop_kind, dims, flags);
                    problem.set_formats(format);
                    EXPECT_TRUE(problem.is_forward() ? is_forward_right(problem)
                                                     : is_backward_right(problem));
                }
}

} // namespace

} // namespace kiln::test::channel_normalization
