// SPDX-License-Identifier: Apache-2.0
// Layer normalization where a kept axis lies innermost: lines of columns of every length, each
// operand with strides of its own, and that generated code takes them, not the reference.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "normalization/case.hpp"
#include "support/random_values.hpp"

namespace kiln::test::normalization {

namespace {

const std::vector<dnnl_prop_kind_t> prop_kinds{
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};

/// Around the vectors and tiles of both ISAs.
const std::vector<dnnl_dim_t> line_lengths{
        2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 47, 48, 49, 63, 64, 65, 67, 80, 128, 131};

problem_t on_columns(dnnl_prop_kind_t prop_kind, const dims_t &dims, unsigned flags,
        const std::string &format = "acb") {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = flags;
    problem.set_formats(format);
    return problem;
}

testing::AssertionResult is_right_on_columns(const problem_t &problem) {
    const auto name = implementations(problem).front();
    if (name != "jit:columns")
        return testing::AssertionFailure() << to_string(problem) << " is taken by " << name;
    return is_right(problem);
}

class layer_normalization_columns : public testing::Test {
protected:
    void SetUp() override {
        if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    }
};

TEST_F(layer_normalization_columns, lines_of_any_length) {
    for (const auto prop_kind : prop_kinds)
        for (const auto length : line_lengths)
            for (const std::string format : {"acb", "acb+3"})
                for (const auto placement :
                        {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                    auto problem = on_columns(prop_kind, {3, length, 19}, scale | shift, format);
                    problem.placement = placement;
                    EXPECT_TRUE(is_right_on_columns(problem));
                }
}

// Sums are blocked by the number of steps: around the blocks' lengths and far beyond.
TEST_F(layer_normalization_columns, columns_of_any_length) {
    for (const auto prop_kind : prop_kinds)
        for (const dnnl_dim_t cols : {2, 3, 15, 16, 17, 31, 32, 33, 48, 96, 256, 257, 1024, 1100})
            for (const unsigned flags : {scale | shift, rms | scale, global_stats | scale})
                EXPECT_TRUE(is_right_on_columns(on_columns(prop_kind, {2, 21, cols}, flags)));
}

TEST_F(layer_normalization_columns, any_flags) {
    for (const auto prop_kind : prop_kinds)
        for (const unsigned flags : all_flags(operation_t::layer))
            EXPECT_TRUE(is_right_on_columns(on_columns(prop_kind, {2, 67, 40}, flags)));
}

TEST_F(layer_normalization_columns, tensors_of_other_ranks) {
    for (const auto prop_kind : prop_kinds) {
        for (const dnnl_dim_t rows : {2, 15, 17, 200})
            EXPECT_TRUE(is_right_on_columns(on_columns(prop_kind, {rows, 37}, scale, "ba")));
        // The normalized axis is d; the kept ones merge, or do not, on either side of it.
        for (const std::string format : {"adbc", "abdc", "acdb", "dabc", "dcba", "badc+5"})
            EXPECT_TRUE(is_right_on_columns(
                    on_columns(prop_kind, {2, 3, 7, 24}, scale | shift, format)));
        EXPECT_TRUE(is_right_on_columns(
                on_columns(prop_kind, {2, 3, 2, 5, 11}, scale | shift, "acebd")));
    }
}

TEST_F(layer_normalization_columns, operands_laid_out_unlike) {
    const std::vector<std::string> formats{"acb", "cab", "acb+3", "cab+5"};
    for (const auto prop_kind : prop_kinds)
        for (size_t i = 0; i < formats.size(); ++i)
            for (size_t j = 0; j < formats.size(); ++j) {
                auto problem = on_columns(prop_kind, {3, 18, 25}, scale | shift, formats[i]);
                problem.dst_format = formats[j];
                problem.diff_src_format = formats[(i + 2 * j + 1) % formats.size()];
                EXPECT_TRUE(is_right_on_columns(problem));
                problem.stat_format = "ab+3";
                EXPECT_TRUE(is_right_on_columns(problem));
            }
}

TEST_F(layer_normalization_columns, forward_of_any_types) {
    const auto types = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
    for (const auto src : types)
        for (const auto dst : types)
            for (const dnnl_dim_t length : {16, 49, 67})
                for (const auto weights : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
                    auto problem =
                            on_columns(dnnl_forward_training, {2, length, 33}, scale | shift);
                    problem.src_type = src;
                    problem.dst_type = dst;
                    problem.scale_shift_type = weights;
                    EXPECT_TRUE(is_right_on_columns(problem));
                }
}

TEST_F(layer_normalization_columns, backward_of_any_types) {
    const auto types = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (const auto src : types)
        for (const auto diff_dst : types)
            for (const auto diff_src : types)
                for (const dnnl_dim_t length : {32, 67})
                    for (const auto weights : types) {
                        auto problem = on_columns(dnnl_backward, {2, length, 33}, scale | shift);
                        problem.src_type = src;
                        problem.dst_type = diff_dst;
                        problem.diff_src_type = diff_src;
                        problem.scale_shift_type = problem.diff_scale_shift_type = weights;
                        EXPECT_TRUE(is_right_on_columns(problem));
                    }
}

TEST_F(layer_normalization_columns, quantization_scales) {
    for (const auto src : {dnnl_s8, dnnl_f32})
        for (const auto dst : {dnnl_s8, dnnl_u8})
            for (const unsigned flags : {0u, scale | shift, shift | rms, scale | global_stats})
                for (const bool is_on_host : {false, true}) {
                    auto problem = on_columns(dnnl_forward_inference, {2, 67, 20}, flags);
                    problem.src_type = src;
                    problem.dst_type = dst;
                    if (src == dnnl_s8) problem.src_scale = scale_attr_t{0.4375};
                    problem.dst_scale = scale_attr_t{1.75, dnnl_f32, is_on_host};
                    EXPECT_TRUE(is_right_on_columns(problem));
                }
}

TEST_F(layer_normalization_columns, results_in_place) {
    for (const auto prop_kind : prop_kinds)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dnnl_dim_t length : {49, 64}) {
                auto problem = on_columns(prop_kind, {3, length, 70}, scale | shift);
                problem.set_types(type);
                problem.set_in_place();
                EXPECT_TRUE(is_right_on_columns(problem));
            }
}

// More than the caches of common machines hold: results are stored past them.
TEST_F(layer_normalization_columns, results_beyond_the_caches) {
    EXPECT_TRUE(
            is_right_on_columns(on_columns(dnnl_forward_inference, {11, 4096, 96}, scale | shift)));
    EXPECT_TRUE(is_right_on_columns(on_columns(dnnl_backward, {7, 4112, 100}, scale | shift)));
    EXPECT_TRUE(is_right_on_columns(
            on_columns(dnnl_backward_data, {7, 4112, 100}, rms | scale, "cab")));
}

// Lanes beyond the last column have a variance of 0, and with a tiny epsilon a huge r.
TEST_F(layer_normalization_columns, unused_lanes_add_nothing) {
    for (const unsigned flags : {scale | shift, rms | scale, global_stats | scale})
        for (const dnnl_dim_t length : {3, 17, 65}) {
            auto problem = on_columns(dnnl_backward, {2, length, 30}, flags);
            problem.epsilon = std::numeric_limits<float>::min();
            EXPECT_TRUE(is_right_on_columns(problem));
        }
}

TEST_F(layer_normalization_columns, many_columns_keep_the_precision_of_weight_gradients) {
    for (const std::string format : {"acb", "cab"})
        EXPECT_TRUE(is_right_on_columns(
                on_columns(dnnl_backward, {5, 12011, 3}, scale | shift, format)));
}

TEST_F(layer_normalization_columns, nan_and_infinity_poison_only_their_own_column) {
    const auto nan = std::nan("");
    for (const double poison : {nan, HUGE_VAL})
        for (const dnnl_dim_t sick_column : {0, 16, 66}) {
            case_t forward(on_columns(dnnl_forward_training, {1, 67, 20}, scale | shift));
            auto src = forward.tensor(DNNL_ARG_SRC).values();
            src[static_cast<size_t>(sick_column * 20 + 11)] = poison;
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            for (dnnl_dim_t column = 0; column < 67; ++column)
                for (dnnl_dim_t c = 0; c < 20; ++c)
                    EXPECT_EQ(std::isnan(forward.tensor(DNNL_ARG_DST).value({0, column, c})),
                            column == sick_column);
        }
}

// A second walk, as the three samples are far from the others. Differences from its pivot have few
// bits, so that their sums are exact.
TEST_F(layer_normalization_columns, means_far_from_the_samples_are_rounded_once) {
    constexpr dnnl_dim_t steps = 37, columns = 2000;
    case_t forward(on_columns(dnnl_forward_training, {1, columns, steps}, 0));
    std::vector<double> src, means;
    const auto noise = random_values_t(11).many(columns * steps, -2048, 2048);
    for (dnnl_dim_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (dnnl_dim_t step = 0; step < steps; ++step) {
            const bool is_sample = step == 0 || step == (steps - 1) / 2 || step == steps - 1;
            src.push_back(std::floor(noise[src.size()]) / 1024 + (is_sample ? 30 : -2.5));
            sum += src.back();
        }
        means.push_back(static_cast<float>(sum / steps));
    }
    forward.set_src(src);
    ASSERT_EQ(forward.execute(), dnnl_success);
    EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means);
}

TEST_F(layer_normalization_columns, post_ops) {
    for (int mask = 0; mask <= 7; ++mask) {
        auto problem = on_columns(dnnl_forward_inference, {3, 4, 23}, scale | shift);
        problem.post_ops = {{.alg = dnnl_binary_select, .mask = mask, .format = "any"},
                {.alg = dnnl_eltwise_gelu_erf}};
        EXPECT_TRUE(is_right_on_columns(problem));
        problem.set_formats("abc");
        EXPECT_EQ(implementations(problem).front(), "jit:rows");
    }
}

// What the kernels refuse goes by copies in another layout, but what no kernel copies either.
TEST_F(layer_normalization_columns, what_is_refused) {
    const auto expect = [](const char *implementation, const problem_t &problem) {
        EXPECT_EQ(implementations(problem).front(), implementation) << to_string(problem);
        EXPECT_TRUE(is_right(problem));
    };
    const auto expect_copies = [&](const problem_t &problem) { expect("jit:relaid", problem); };
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
        auto unlike = on_columns(prop_kind, {3, 18, 25}, scale | shift);
        unlike.dst_format = "abc";
        expect_copies(unlike);
        expect_copies(on_columns(prop_kind, {3, 18, 25}, scale | shift, "acb*2"));
        auto stat = on_columns(prop_kind, {3, 18, 25}, scale | shift);
        stat.stat_format = "ba";
        for (const unsigned flags : {scale | shift, global_stats | shift, rms | scale}) {
            stat.flags = flags;
            expect_copies(stat);
        }
        auto f64 = on_columns(prop_kind, {3, 18, 25}, scale | shift);
        f64.src_type = dnnl_f64;
        expect("ref:any", f64);
        for (const char *format : {"aBc16b", "aBc8b", "aBc4b"})
            expect_copies(on_columns(prop_kind, {3, 18, 25}, scale | shift, format));
    }
    auto post_op = on_columns(dnnl_forward_inference, {3, 18, 25}, scale | shift);
    post_op.post_ops = {{.alg = dnnl_binary_add, .mask = 7, .format = "abc"}};
    expect_copies(post_op);
}

} // namespace

} // namespace kiln::test::normalization
