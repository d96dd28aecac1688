// SPDX-License-Identifier: Apache-2.0
// Elementwise functions and their gradients against long double: every implementation, function,
// type and kind of layout; in place, post-ops, special values; the same bits for any number of
// threads.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "eltwise/eltwise_case.hpp"
#include "support/execution_checks.hpp"
#include "support/finite_differences.hpp"
#include "support/post_op_lists.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::eltwise_operation {

namespace {

constexpr dnnl_data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr dnnl_data_type_t integer_types[]{dnnl_s32, dnnl_s8, dnnl_u8};

bool has_gradient(const function_t &op) { return op.alg != dnnl_eltwise_round; }

std::vector<function_t> functions() {
    std::vector<function_t> all;
    for (const post_op_t &op : eltwise_ops()) all.push_back({op.alg, op.alpha, op.beta});
    return all;
}

TEST(eltwise, is_right_for_every_function_type_and_direction) {
    for (const function_t &op : functions())
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
            for (const bool is_forward : {true, false}) {
                if (!is_forward && !has_gradient(op)) continue;
                if (op.alg == dnnl_eltwise_round && type != dnnl_f32) continue;
                expect_right({.op = op, .is_forward = is_forward, .type = type});
            }
}

TEST(eltwise, is_right_for_integers) {
    for (const auto type : integer_types)
        for (const dnnl_dim_t cols : {1, 15, 16, 77, 200})
            for (const function_t &op : {function_t{.alg = dnnl_eltwise_relu, .alpha = -0.25f},
                         function_t{.alg = dnnl_eltwise_linear, .alpha = 3, .beta = 7},
                         function_t{.alg = dnnl_eltwise_clip, .alpha = -20, .beta = 30}})
                expect_right({.op = op, .dims = {3, cols}, .type = type});
}

// Such a relu is a maximum, of words of four bytes where rows and their distances are.
TEST(eltwise, relu_of_integers_without_a_slope_is_right_for_rows_of_any_length_and_distance) {
    for (const auto type : integer_types)
        for (const dnnl_dim_t cols : {1, 4, 15, 16, 63, 64, 68, 77, 256, 1028})
            for (const char *format : {"ab", "ab+3", "ab+4", "ab*2"})
                for (const bool in_place : {false, true})
                    expect_right({.dims = {5, cols},
                            .type = type,
                            .data_format = format,
                            .format = format,
                            .in_place = in_place});
    for (const auto type : integer_types)
        for (const char *format : {"ab of 5x72 at 0x4", "ab of 5x72 at 0x3"})
            expect_right({.dims = {5, 64}, .type = type, .data_format = format, .format = format});
    for (const auto type : integer_types)
        for (const dnnl_dim_t channels : {1, 4, 17, 32})
            for (const std::string &format : part_formats({2, channels, 4, 4}, "aBcd16b"))
                expect_right({.dims = {2, channels, 4, 4}, .type = type, .data_format = format});
}

TEST(eltwise, relu_of_s32_keeps_all_digits) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const case_t tested({.dims = {6}, .type = dnnl_s32}, 0,
            {16777217, -16777217, 2147483647, -2147483648., 0, 33554435});
    ASSERT_EQ(tested.execute(), dnnl_success);
    EXPECT_EQ(tested.results(), (std::vector<double>{16777217, 0, 2147483647, 0, 0, 33554435}));
}

TEST(eltwise, is_right_for_rows_of_any_length) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 35 ? 1 : 13)
            for (const char *format : {"ab", "ab+3"})
                expect_right({.dims = {3, cols}, .type = type, .data_format = format});
    for (const dnnl_dim_t cols : {16384, 16385})
        expect_right({.op = {.alg = dnnl_eltwise_tanh}, .is_forward = false, .dims = {2, cols}});
}

// Padding is zero afterwards, as is_right() asks: linear makes 0 another value.
TEST(eltwise, takes_any_layout) {
    const function_t linear{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1};
    const function_t log{.alg = dnnl_eltwise_log}; // of padding, that is -infinity
    for (const function_t &op : {linear, log})
        for (const bool is_forward : {true, false})
            for (const char *data : {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b",
                         "aBcd16b", "ABcd4b16a4b"})
                for (const char *other : {"any", "abcd", "acdb", "aBcd16b"})
                    for (const dnnl_dim_t channels : {5, 16})
                        expect_right({.op = op,
                                .is_forward = is_forward,
                                .dims = {4, channels, 3, 5},
                                .data_format = data,
                                .format = other});
}

// Functions of zero are zero, or are not.
TEST(eltwise, leaves_zeros_in_padding) {
    for (const function_t &op : functions())
        for (const bool is_forward : {true, false})
            for (const dnnl_dim_t channels : {1, 3, 17}) {
                if (!is_forward && !has_gradient(op)) continue;
                expect_right({.op = op,
                        .is_forward = is_forward,
                        .dims = {2, channels, 3, 5},
                        .data_format = "aBcd16b"});
            }
}

TEST(eltwise, takes_parts_of_blocked_tensors) {
    for (const dnnl_dim_t channels : {1, 2, 11, 16, 32}) {
        const dims_t dims{2, channels, 5, 3};
        for (const char *tag : {"aBcd8b", "aBcd16b"}) {
            const auto formats = part_formats(dims, tag);
            for (size_t i = 0; i < formats.size(); ++i)
                expect_right({.op = {.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1},
                        .dims = dims,
                        .data_format = formats[i],
                        .format = formats[(i + 1) % formats.size()]});
        }
    }
}

TEST(eltwise, works_in_place) {
    for (const char *format : {"abc", "acb", "aBc16b", "abc+3"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const bool is_forward : {true, false}) {
                if (!is_forward && is_integer(type)) continue;
                expect_right({.op = {.alg = dnnl_eltwise_relu, .alpha = 0.5f},
                        .is_forward = is_forward,
                        .dims = {2, 21, 13},
                        .type = type,
                        .data_format = format,
                        .format = format,
                        .in_place = true});
            }
}

TEST(eltwise, applies_binary_and_prelu_post_ops) {
    const std::vector<post_op_chain_t> chains{
            {{.alg = dnnl_binary_mul, .mask = 7, .type = dnnl_f32}},
            {{.alg = dnnl_alg_kind_undef, .mask = 2, .is_prelu = true}},
            {{.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = 1, .type = dnnl_s8},
                    {.alg = dnnl_binary_max, .mask = 0, .type = dnnl_f32}}};
    for (const auto &chain : chains)
        for (const auto type : {dnnl_f32, dnnl_f16, dnnl_s8, dnnl_s32})
            for (const char *format : {"abc", "acb", "aBc16b"})
                for (const dnnl_dim_t channels : {16, 21})
                    expect_right({.op = {.alg = dnnl_eltwise_linear, .alpha = 1.5f, .beta = -1},
                            .dims = {2, channels, 13},
                            .type = type,
                            .data_format = format,
                            .post_ops = chain});
}

TEST(eltwise, applies_post_ops_to_bf16_rows_of_any_length) {
    const std::vector<post_op_chain_t> chains{
            {{.alg = dnnl_binary_sub, .mask = 3, .type = dnnl_bf16},
                    {.alg = dnnl_binary_mul, .mask = 1, .type = dnnl_f32},
                    {.alg = dnnl_alg_kind_undef, .mask = 3, .type = dnnl_bf16, .is_prelu = true}},
            {{.alg = dnnl_binary_mul, .mask = 3, .type = dnnl_bf16},
                    {.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16},
                    {.alg = dnnl_binary_max, .mask = 0, .type = dnnl_f32},
                    {.alg = dnnl_binary_select, .mask = 1, .type = dnnl_s8},
                    {.alg = dnnl_binary_min, .mask = 3, .type = dnnl_bf16}}};
    for (const auto &chain : chains)
        for (const dnnl_dim_t cols : {31, 32, 61, 64, 96, 127, 150})
            for (const char *format : {"ab", "ab+3"})
                expect_right({.op = {.alg = dnnl_eltwise_linear, .alpha = 1.5f, .beta = -1},
                        .dims = {3, cols},
                        .type = dnnl_bf16,
                        .data_format = format,
                        .post_ops = chain});
}

TEST(eltwise, of_no_elements_does_nothing) {
    for (const bool is_forward : {true, false})
        expect_right({.is_forward = is_forward, .dims = {3, 0}});
}

TEST(eltwise, saturates_integers_and_rounds_to_even) {
    const problem_t p{.op = {.alg = dnnl_eltwise_linear, .alpha = 0x1p24f, .beta = 0},
            .dims = {5},
            .type = dnnl_s32};
    for (size_t at = 0; at < implementations(p).size(); ++at) {
        const case_t tested(p, at, {127, 128, -128, -129, 1});
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(tested.results(), (std::vector<double>{127 * 0x1p24, 2147483647, -2147483648.,
                                            -2147483648., 0x1p24}));
    }
    const problem_t half{.op = {.alg = dnnl_eltwise_linear, .alpha = 0.5f, .beta = 0},
            .dims = {4},
            .type = dnnl_s8};
    for (size_t at = 0; at < implementations(half).size(); ++at) {
        const case_t tested(half, at, {1, 3, -1, -3});
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(tested.results(), (std::vector<double>{0, 2, 0, -2}));
    }
}

/// NaN stays NaN; gates that close at -infinity give 0; limits of the functions at infinity.
TEST(eltwise, knows_special_values) {
    struct {
        function_t op;
        double at_minus_infinity, at_infinity;
    } const rows[]{{{.alg = dnnl_eltwise_relu}, 0, infinity}, {{.alg = dnnl_eltwise_tanh}, -1, 1},
            {{.alg = dnnl_eltwise_elu, .alpha = 2}, -2, infinity},
            {{.alg = dnnl_eltwise_abs}, infinity, infinity}, {{.alg = dnnl_eltwise_logistic}, 0, 1},
            {{.alg = dnnl_eltwise_exp}, 0, infinity},
            {{.alg = dnnl_eltwise_gelu_tanh}, 0, infinity},
            {{.alg = dnnl_eltwise_gelu_erf}, 0, infinity},
            {{.alg = dnnl_eltwise_swish, .alpha = 1}, 0, infinity},
            {{.alg = dnnl_eltwise_mish}, 0, infinity},
            {{.alg = dnnl_eltwise_soft_relu, .alpha = 1}, 0, infinity},
            {{.alg = dnnl_eltwise_clip, .alpha = -2, .beta = 3}, -2, 3}};
    for (const auto &row : rows)
        for (const auto type : float_types) {
            const problem_t p{.op = row.op, .dims = {3}, .type = type};
            for (size_t at = 0; at < implementations(p).size(); ++at) {
                const case_t tested(p, at, {nan, -infinity, infinity});
                ASSERT_EQ(tested.execute(), dnnl_success);
                const auto results = tested.results();
                EXPECT_TRUE(std::isnan(results[0])) << tested.name();
                EXPECT_EQ(results[1], row.at_minus_infinity) << tested.name();
                EXPECT_EQ(results[2], row.at_infinity) << tested.name();
            }
        }
}

/// 1 - tanh(soft_relu(20)) is below 2^-56.
TEST(eltwise, mish_of_great_values_is_the_value) {
    const std::vector<double> values = {20.5, 21, 32, 87.5, 88.5, 90, 128, 1000, 0x1p15};
    for (const auto type : float_types) {
        const problem_t p{.op = {.alg = dnnl_eltwise_mish},
                .dims = {static_cast<dnnl_dim_t>(values.size())},
                .type = type};
        for (size_t at = 0; at < implementations(p).size(); ++at) {
            const case_t tested(p, at, values);
            ASSERT_EQ(tested.execute(), dnnl_success);
            for (size_t i = 0; i < values.size(); ++i)
                EXPECT_EQ(tested.results()[i], rounded(type, values[i])) << tested.name();
        }
    }
}

/// At the ends of intervals the derivative is that of the documented side.
TEST(eltwise, has_the_documented_derivative_at_steps) {
    struct {
        function_t op;
        std::vector<double> data, slopes;
    } const rows[]{{{.alg = dnnl_eltwise_relu, .alpha = 0.5f}, {-1, 0, 1}, {0.5, 0.5, 1}},
            {{.alg = dnnl_eltwise_abs}, {-1, 0, 1}, {-1, 0, 1}},
            {{.alg = dnnl_eltwise_clip, .alpha = -1, .beta = 1}, {-1, 0, 1}, {0, 1, 1}},
            {{.alg = dnnl_eltwise_clip_v2, .alpha = -1, .beta = 1}, {-1, 0, 1}, {0, 1, 0}},
            {{.alg = dnnl_eltwise_hardsigmoid, .alpha = 1, .beta = 0}, {0, 0.5, 1}, {0, 1, 0}}};
    for (const auto &row : rows) {
        const problem_t p{.op = row.op, .is_forward = false, .dims = {3}};
        for (size_t at = 0; at < implementations(p).size(); ++at) {
            case_t tested(p, at, row.data);
            tested.refill(DNNL_ARG_DIFF_DST, {1, 1, 1});
            ASSERT_EQ(tested.execute(), dnnl_success);
            EXPECT_EQ(tested.results(), row.slopes) << tested.name();
        }
    }
}

TEST(eltwise, backward_is_the_derivative_of_forward) {
    for (const function_t &op : functions()) {
        if (!has_gradient(op) || uses_dst(op.alg)) continue;
        const problem_t p{.op = op, .dims = {2, 9}};
        problem_t gradient = p;
        gradient.is_forward = false;
        auto values = values_of(p);
        for (double &x : values) x = std::clamp(x, -3., 3.);
        case_t forward(p, 0, values), backward(gradient, 0, values);
        ASSERT_EQ(forward.execute(), dnnl_success);
        ASSERT_EQ(backward.execute(), dnnl_success);
        finite_differences_t(forward, backward)
                .expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 0x1p-9, 0.02);
    }
}

TEST(eltwise, has_the_same_bits_for_any_number_of_threads) {
    for (const dims_t &dims : {dims_t{150, 500}, dims_t{1, 70003}, dims_t{7003, 9}})
        for (const bool is_forward : {true, false}) {
            const problem_t p{
                    .op = {.alg = dnnl_eltwise_gelu_erf}, .is_forward = is_forward, .dims = dims};
            expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0, values_of(p)); });
        }
}

TEST(eltwise, reads_elements_that_repeat) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (const char *data : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"})
            for (const char *other : {"any", "abcd", "acdb", "aBcd16b"})
                expect_right({.dims = {4, 16, 3, 5},
                        .type = type,
                        .data_format = data,
                        .format = other});
}

TEST(eltwise, goes_by_rows_unless_layouts_or_types_forbid_it) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    const dims_t dims{4, 21, 3, 5};
    for (const char *format : {"abcd", "acdb", "abcd+3", "aBcd8b", "ABcd16b16a"})
        for (const bool is_forward : {true, false})
            EXPECT_EQ(best({.is_forward = is_forward, .dims = dims, .data_format = format}),
                    "jit:rows");
    for (const auto type : {dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8})
        EXPECT_EQ(best({.dims = dims, .type = type}), "jit:rows");
    EXPECT_EQ(best({.dims = dims, .type = dnnl_f64}), "ref:any");
    EXPECT_EQ(best({.dims = dims, .data_format = "abcd*2"}), "jit:strided_rows");
    EXPECT_EQ(best({.dims = dims, .data_format = "abcd", .format = "abcd*2"}), "jit:strided_rows");
    for (const bool is_forward : {true, false})
        EXPECT_EQ(best({.is_forward = is_forward,
                          .dims = dims,
                          .data_format = "acdb",
                          .format = "abcd"}),
                "jit:rows");
}

} // namespace

} // namespace kiln::test::eltwise_operation
