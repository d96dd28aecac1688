// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication against long double: every implementation; types, layouts, batches, bias,
// scales and zero points, post-ops; the same bits for any number of threads.
#include "matmul/matmul_case.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

struct types_t {
    dnnl_data_type_t src, weights, dst;
};

constexpr types_t float_types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_bf16, dnnl_bf16, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_f64},
};
constexpr types_t integer_types[] = {
        {dnnl_u8, dnnl_s8, dnnl_s32},
        {dnnl_s8, dnnl_s8, dnnl_s32},
        {dnnl_u8, dnnl_u8, dnnl_f32},
        {dnnl_s8, dnnl_s8, dnnl_s8},
        {dnnl_u8, dnnl_s8, dnnl_u8},
        {dnnl_s8, dnnl_s8, dnnl_bf16},
        {dnnl_u8, dnnl_s8, dnnl_f16},
};

problem_t with_types(problem_t p, const types_t &types) {
    p.src_type = types.src;
    p.weights_type = types.weights;
    p.dst_type = types.dst;
    return p;
}

TEST(matmul_values, are_right_for_every_combination_of_types) {
    for (const auto &types : float_types)
        expect_right(with_types({.src = {7, 33}, .weights = {33, 19}, .bias = {1, 19}}, types));
    for (const auto &types : integer_types)
        expect_right(with_types({.src = {7, 33}, .weights = {33, 19}}, types));
}

TEST(matmul_values, are_right_for_random_shapes) {
    random_values_t random(17);
    const auto extent = [&] { return static_cast<dnnl_dim_t>(random.between(1, 70)); };
    for (int i = 0; i < 24; ++i) {
        const dnnl_dim_t m = extent(), n = extent(), k = extent();
        const auto &types = i % 2 == 0 ? float_types[i / 2 % 5] : integer_types[i / 2 % 7];
        expect_right(with_types({.src = {m, k}, .weights = {k, n}}, types));
    }
}

TEST(matmul_values, are_right_for_shapes_beyond_one_block) {
    for (const auto &types : {float_types[0], float_types[1], integer_types[0]})
        for (const dims_t &mnk :
                {dims_t{1, 300, 260}, dims_t{65, 1, 131}, dims_t{40, 150, 140}, dims_t{3, 2, 1}})
            expect_right(with_types({.src = {mnk[0], mnk[2]}, .weights = {mnk[2], mnk[1]}}, types));
}

TEST(matmul_values, are_right_for_every_kind_of_layout) {
    for (const char *src : {"ab", "ba", "ab+3", "AB16b16a", "any"})
        for (const char *weights : {"ab", "ba", "ba+5", "BA16a16b", "any"})
            for (const char *dst : {"ab", "ba", "ab+2", "BA16a16b", "any"})
                expect_right({.src = {9, 21},
                        .weights = {21, 18},
                        .src_format = src,
                        .weights_format = weights,
                        .dst_format = dst});
    for (const char *format : {"abc", "acb", "bac", "cab"})
        for (const auto &types : {float_types[1], integer_types[1]})
            expect_right(with_types({.src = {3, 5, 12},
                                            .weights = {3, 12, 17},
                                            .src_format = format,
                                            .weights_format = format,
                                            .dst_format = format},
                    types));
}

TEST(matmul_values, are_right_for_elements_that_repeat) {
    const char *formats[] = {"abc", "abc/a", "abc/b", "abc/c", "acb/bc", "abc/abc"};
    for (const dnnl_dim_t rows : {1, 5})
        for (const char *src : formats)
            for (const char *weights : formats)
                for (const char *dst : {"any", "abc", "acb"})
                    for (const auto &types : {float_types[0], float_types[1], integer_types[1]})
                        expect_right(with_types({.src = {3, rows, 12},
                                                        .weights = {3, 12, 17},
                                                        .src_format = src,
                                                        .weights_format = weights,
                                                        .dst_format = dst},
                                types));
}

TEST(matmul_values, are_right_for_batches_that_are_broadcast) {
    for (const auto &[src, weights] : {std::pair(dims_t{4, 3, 5}, dims_t{1, 5, 6}),
                 {dims_t{1, 3, 5}, dims_t{4, 5, 6}}, {dims_t{2, 1, 3, 5}, dims_t{1, 3, 5, 6}},
                 {dims_t{2, 3, 3, 5}, dims_t{2, 3, 5, 6}},
                 {dims_t{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3, 2},
                         dims_t{1, 2, 2, 1, 1, 1, 2, 2, 1, 1, 2, 4}}})
        expect_right({.src = src, .weights = weights});
}

TEST(matmul_values, are_right_for_every_broadcast_of_bias) {
    for (const dims_t &bias : {dims_t{1, 1, 1}, dims_t{1, 1, 9}, dims_t{1, 4, 1}, dims_t{1, 4, 9},
                 dims_t{3, 1, 1}, dims_t{3, 1, 9}, dims_t{3, 4, 1}, dims_t{3, 4, 9}})
        expect_right({.src = {3, 4, 5}, .weights = {1, 5, 9}, .bias = bias});
    for (const auto type : {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f32, dnnl_bf16, dnnl_f16})
        expect_right({.src = {4, 5},
                .weights = {5, 9},
                .bias = {1, 9},
                .src_type = dnnl_u8,
                .weights_type = dnnl_s8,
                .dst_type = dnnl_s32,
                .bias_type = type});
}

TEST(matmul_values, are_right_with_scales_and_zero_points) {
    const problem_t base{.src = {6, 32},
            .weights = {32, 48},
            .src_type = dnnl_u8,
            .weights_type = dnnl_s8,
            .dst_type = dnnl_f32};
    for (const int mask : {0, 1, 2, 3}) {
        problem_t p = base;
        p.src_scale = quantity_t{mask};
        p.weights_scale = quantity_t{mask, dnnl_f16};
        p.dst_scale = quantity_t{mask, dnnl_bf16};
        expect_right(p);
        p.weights_zero_point = quantity_t{mask, dnnl_s8};
        p.src_zero_point = quantity_t{mask == 1 ? 0 : mask, dnnl_s32};
        p.dst_zero_point = quantity_t{mask & 2, dnnl_s32};
        expect_right(p);
    }
    problem_t grouped = base;
    grouped.src_scale = quantity_t{3, dnnl_f16, {1, 16}};
    grouped.weights_scale = quantity_t{3, dnnl_f16, {8, 1}};
    grouped.weights_zero_point = quantity_t{3, dnnl_s8, {16, 1}};
    expect_right(grouped);
}

/// The modes permit less precise sums; none requires them.
TEST(matmul_values, are_right_in_every_accumulation_mode) {
    for (const auto mode : {dnnl_accumulation_mode_strict, dnnl_accumulation_mode_relaxed,
                 dnnl_accumulation_mode_any, dnnl_accumulation_mode_f32, dnnl_accumulation_mode_s32,
                 dnnl_accumulation_mode_f16})
        for (const auto &types :
                {float_types[0], float_types[1], float_types[3], float_types[5], integer_types[0]})
            expect_right(
                    with_types({.src = {9, 65}, .weights = {65, 18}, .accumulation = mode}, types));
}

TEST(matmul_values, are_right_for_floats_of_half_a_byte) {
    for (const auto type : {dnnl_f4_e2m1, dnnl_f4_e3m0})
        for (const auto &[src, weights, dst] : {types_t{type, type, dnnl_f32},
                     {type, dnnl_f32, dnnl_f32}, {dnnl_f32, type, dnnl_f32},
                     {dnnl_bf16, type, dnnl_bf16}, {dnnl_f16, type, dnnl_f32},
                     {dnnl_f8_e5m2, type, dnnl_f32}, {type, dnnl_f8_e4m3, dnnl_bf16}})
            for (const char *format : {"ab", "ba"}) {
                problem_t p = with_types({.src = {5, 32},
                                                 .weights = {32, 18},
                                                 .bias = {1, 18},
                                                 .src_format = format,
                                                 .weights_format = format},
                        {src, weights, dst});
                expect_right(p);
                p.weights_scale = quantity_t{3, dnnl_e8m0, {16, 1}};
                expect_right(p);
            }
}

TEST(matmul_values, are_right_with_compressed_weights) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const auto weights : {dnnl_s8, dnnl_u8})
            for (const dims_t &groups : {dims_t{}, dims_t{16, 1}, dims_t{1, 16}}) {
                problem_t p{.src = {5, 32},
                        .weights = {32, 48},
                        .src_type = type,
                        .weights_type = weights,
                        .dst_type = type};
                p.decompresses = true;
                p.weights_scale = quantity_t{groups.empty() ? 2 : 3, dnnl_f32, groups};
                p.weights_zero_point = quantity_t{groups.empty() ? 0 : 3, dnnl_s8, groups};
                expect_right(p);
            }
}

TEST(matmul_values, are_right_with_compressed_weights_of_few_columns) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const auto weights : {dnnl_s8, dnnl_s4, dnnl_u4})
            for (const auto &[m, n, k] :
                    {std::tuple(100, 1, 1), {100, 1, 32}, {40, 3, 33}, {9, 2, 5}, {5, 1, 6}})
                for (const char *dst : {"ab", "ba"}) {
                    problem_t p{.src = {m, k},
                            .weights = {k, n},
                            .src_type = type,
                            .weights_type = weights,
                            .dst_type = type,
                            .dst_format = dst};
                    p.decompresses = true;
                    p.weights_scale = quantity_t{2};
                    expect_right(p);
                }
}

TEST(matmul_values, are_right_with_batches_of_single_compressed_weights) {
    for (const auto weights : {dnnl_s8, dnnl_s4, dnnl_u4})
        for (const dims_t &dims : {dims_t{4, 1, 1}, {2, 3, 1, 1}}) {
            problem_t p{.src = dims, .weights = dims, .weights_type = weights};
            p.src[dims.size() - 2] = 9;
            p.decompresses = true;
            expect_right(p);
        }
}

TEST(matmul_values, are_right_with_post_ops) {
    const post_op_chain_t chains[] = {
            {{.alg = dnnl_eltwise_relu, .alpha = 0.5f}},
            {{.alg = dnnl_eltwise_gelu_erf}},
            {{.alg = dnnl_binary_add, .mask = 3}, {.alg = dnnl_eltwise_linear, .alpha = 2}},
            {{.alg = dnnl_binary_mul, .mask = 2, .type = dnnl_bf16}},
            {{.alg = dnnl_binary_max, .mask = 1}},
            {{.alg = dnnl_binary_select, .mask = 3}},
            {{.alg = dnnl_alg_kind_undef, .mask = 2, .is_prelu = true}},
    };
    for (const auto &chain : chains)
        for (const auto &types : {float_types[0], float_types[1], integer_types[2]})
            expect_right(with_types({.src = {6, 20},
                                            .weights = {20, 35},
                                            .bias = {1, 35},
                                            .dst_format = "any",
                                            .post_ops = chain},
                    types));
}

TEST(matmul_values, of_tensors_without_elements_are_none_and_of_no_products_are_the_bias) {
    expect_right({.src = {0, 5}, .weights = {5, 4}});
    expect_right({.src = {3, 5}, .weights = {5, 0}});
    expect_right({.src = {0, 3, 5}, .weights = {1, 5, 4}});
    expect_right({.src = {3, 0}, .weights = {0, 4}, .bias = {1, 4}});
}

TEST(matmul_values, have_the_same_bits_for_any_number_of_threads) {
    for (const auto &types : {float_types[0], float_types[1], integer_types[0]}) {
        const problem_t p = with_types(
                {.src = {2, 70, 129}, .weights = {1, 129, 140}, .bias = {1, 1, 140}}, types);
        for (size_t i = 0; i < implementation_names(describe(p)).size(); ++i) {
            expect_same_bits_for_any_number_of_threads([&] { return case_t(p, i); });
        }
    }
}

TEST(matmul_values, need_all_arguments) {
    problem_t p{.src = {4, 8}, .weights = {8, 16}, .bias = {1, 16}};
    p.weights_scale = quantity_t{2};
    const case_t tested(p, 0);
    expect_refusals_of_spoiled_arguments(tested);
}

} // namespace
} // namespace kiln::test::matmul
