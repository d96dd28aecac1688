// SPDX-License-Identifier: Apache-2.0
// Products of integers by tiles: groups, zero points, scales.
#include "matmul/tiles.hpp"

namespace kiln::test::matmul {
namespace {

TEST(matmul_quantized_tiles, multiply_integers_exactly) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_s8, dnnl_u8})
            for (const char *format : matrix_formats)
                for (const auto dst : {dnnl_s32, dnnl_f32, dnnl_bf16, dnnl_u8})
                    for (const auto &[m, n, k] : {std::tuple(1, 17, 4), {19, 50, 33}, {40, 7, 66},
                                 {3, 5, 4203}, {2, 40, 64}, {4, 9, 127}}) {
                        problem_t p{.src = {m, k},
                                .weights = {k, n},
                                .bias = {1, n},
                                .src_format = format,
                                .weights_format = format};
                        p.src_type = src;
                        p.weights_type = weights;
                        p.dst_type = dst;
                        if (dst != dnnl_s32) p.weights_scale = quantity_t{2};
                        // Steps of 16 bits, without VNNI, have no src that lies column by column.
                        format == matrix_formats[1] ? expect_right_by_kernels(p)
                                                    : expect_right_by_tiles(p);
                        p.src_format = "ab";
                        if (format == matrix_formats[1]) expect_right_by_tiles(p);
                    }
}

TEST(matmul_quantized_tiles, subtract_zero_points_of_integers_exactly) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_s8, dnnl_u8})
            for (const dnnl_dim_t m : {1, 6, 33})
                for (const int points : {1, 2, 3, 6, 7}) {
                    problem_t p{.src = {m, 68},
                            .weights = {68, 37},
                            .bias = {1, 37},
                            .weights_format = m == 6   ? "any"
                                              : m == 1 ? "ba"
                                                       : "ab"};
                    p.src_type = src;
                    p.weights_type = weights;
                    p.dst_type = points == 7 ? dnnl_f32 : dnnl_s32;
                    if (points & 1) p.src_zero_point = quantity_t{0, dnnl_s32};
                    if (points & 2) p.weights_zero_point = quantity_t{m == 6 ? 0 : 2, dnnl_s8};
                    if (points & 4) p.dst_zero_point = quantity_t{m == 6 ? 2 : 0, dnnl_s32};
                    expect_right_by_tiles(p);
                }
}

struct product_types_t {
    dnnl_data_type_t src, weights, dst;
};

/// src of m x k, weights of k x n.
problem_t product_of(const product_types_t &types, dnnl_dim_t m, dnnl_dim_t k, dnnl_dim_t n) {
    return {.src = {m, k},
            .weights = {k, n},
            .src_type = types.src,
            .weights_type = types.weights,
            .dst_type = types.dst};
}

TEST(matmul_quantized_tiles, add_blocks_of_integers_with_zero_points) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const dnnl_dim_t m : {1, 20}) {
            problem_t p = product_of({src, dnnl_s8, dnnl_s32}, m, 4203, 21);
            p.src_zero_point = quantity_t{0, dnnl_u8};
            p.weights_zero_point = quantity_t{2, dnnl_s32};
            expect_right_by_tiles(p);
        }
}

/// Sums of rows of any length.
TEST(matmul_quantized_tiles, add_blocks_of_integers_with_one_zero_point) {
    for (const auto &[src, weights, k] : {std::tuple(dnnl_u8, dnnl_s8, 16400),
                 {dnnl_s8, dnnl_u8, 8192}, {dnnl_u8, dnnl_s8, 8160}})
        for (const char *format : {"ab", "any"})
            for (const bool has_src_zero_point : {false, true}) {
                problem_t p{.src = {13, k}, .weights = {k, 9}, .weights_format = format};
                p.src_type = src;
                p.weights_type = weights;
                p.dst_type = dnnl_s32;
                p.weights_zero_point = quantity_t{0, dnnl_s8};
                if (has_src_zero_point) p.src_zero_point = quantity_t{0, dnnl_s32};
                expect_right_by_tiles(p);
            }
}

/// Zero points of src: one, or one of each row; of weights: one, or one of each column.
TEST(matmul_quantized_tiles, subtract_zero_points_of_many_rows) {
    struct points_t {
        int src, weights; // masks; -1: none
    };
    constexpr points_t all_points[] = {{0, -1}, {3, -1}, {-1, 0}, {-1, 2}, {0, 0}, {0, 2}, {3, 0}};
    for (const auto &[src_mask, weights_mask] : all_points)
        for (const char *format : {"any", "ab"})
            for (const auto &[weights, m, k, n] : {std::tuple(dnnl_s8, 70, 68, 50),
                         {dnnl_s8, 16, 4203, 8}, {dnnl_s4, 40, 108, 50}, {dnnl_u4, 12, 4204, 6}}) {
                problem_t p = product_of(
                        {dnnl_u8, weights, src_mask == 3 ? dnnl_f32 : dnnl_s32}, m, k, n);
                p.weights_format = format;
                if (src_mask == 0) p.src_zero_point = quantity_t{0, dnnl_s32};
                if (src_mask == 3) p.src_zero_point = quantity_t{3, dnnl_s32, {1, k}};
                if (weights_mask >= 0)
                    p.weights_zero_point =
                            quantity_t{weights_mask, weights_mask == 0 ? dnnl_s32 : weights};
                if (weights_mask == 2) p.dst_zero_point = quantity_t{0, dnnl_s32};
                expect_right_by_tiles(p);
            }
}

TEST(matmul_quantized_tiles, subtract_a_zero_point_of_few_rows) {
    for (const auto &[src, weights] :
            {std::pair(dnnl_u8, dnnl_s8), {dnnl_s8, dnnl_s8}, {dnnl_s8, dnnl_u8}})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t m : {1, 2, 3, 4, 5, 6})
                for (const auto &[k, n] :
                        {std::pair(3, 150), {67, 1}, {48, 24}, {130, 37}, {4203, 9}}) {
                    problem_t p = product_of({src, weights, m % 2 ? dnnl_s32 : dnnl_f32}, m, k, n);
                    p.weights_format = format;
                    p.src_format = m == 2 ? "ba" : "ab";
                    p.src_zero_point = quantity_t{0, dnnl_s32};
                    // Steps of 16 bits, without VNNI, have no src that lies column by column.
                    m == 2 ? expect_right_by_kernels(p) : expect_right_by_tiles(p);
                }
}

TEST(matmul_quantized_tiles, scale_integers_by_groups_along_k) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const dnnl_dim_t m : {1, 18})
            for (const dnnl_dim_t k : {128, m == 1 ? 4352 : 192}) {
                problem_t p = product_of({src, dnnl_s8, dnnl_f32}, m, k, 20);
                p.src_scale = quantity_t{3, dnnl_f32, {1, 64}};
                expect_right_by_tiles(p);
                p.weights_scale = quantity_t{3, dnnl_f16, {64, 1}};
                p.weights_zero_point = quantity_t{3, dnnl_s8, {64, 1}};
                expect_right_by_tiles(p);
                p.src_zero_point = quantity_t{0, dnnl_s32};
                expect_right_by_tiles(p);
                p.weights_scale = quantity_t{3, dnnl_f16, {32, 1}};
                p.weights_zero_point = quantity_t{3, dnnl_s8, {16, 1}};
                expect_right_by_tiles(p);
            }
}

/// Groups with scales of src, of weights and of both; zero points of groups, of columns, or one.
TEST(matmul_quantized_tiles, scale_groups_of_many_rows) {
    int i = 0;
    for (const auto weights : {dnnl_s8, dnnl_u4, dnnl_s4})
        for (const char *format : {"any", "ab"})
            for (const auto &[m, k] : {std::pair(34, 256), {12, 4352}})
                for (const int scaled : {1, 2, 3}) {
                    if (k > 256 && scaled != 1 + i % 3) continue;
                    const dnnl_dim_t group = ++i % 2 != 0 ? 64 : 128,
                                     n = k > 256 ? 10 : 18 + 2 * (i * 7 % 9);
                    problem_t p = product_of({i % 3 != 0 ? dnnl_u8 : dnnl_s8, weights,
                                                     i % 4 != 0 ? dnnl_f32 : dnnl_bf16},
                            m, k, n);
                    p.weights_format = format;
                    if (scaled & 1) p.src_scale = quantity_t{3, dnnl_f32, {1, group}};
                    if (scaled & 2) p.weights_scale = quantity_t{3, dnnl_bf16, {128, 1}};
                    expect_right_by_tiles(p);
                    p.bias = {1, n};
                    p.weights_zero_point = i % 2 != 0 ? quantity_t{3, weights, {group, 1}}
                                                      : quantity_t{1, dnnl_s8, {128, 1}};
                    expect_right_by_tiles(p);
                    p.weights_zero_point = quantity_t{i % 2 != 0 ? 0 : 2, dnnl_s8};
                    p.src_zero_point = scaled == 2  ? quantity_t{0, dnnl_s32}
                                       : i % 2 != 0 ? quantity_t{3, dnnl_s32, {1, group}}
                                                    : quantity_t{3, dnnl_u8, {1, k}};
                    p.dst_scale = quantity_t{0, dnnl_f32};
                    expect_right_by_tiles(p);
                }
}

/// Rows of B come from memory.
TEST(matmul_quantized_tiles, scale_groups_of_large_row_major_weights) {
    problem_t p = product_of({dnnl_u8, dnnl_s8, dnnl_f32}, 14, 2176, 1030);
    p.weights_scale = quantity_t{3, dnnl_f32, {128, 1}};
    expect_right_by_tiles(p);
}

/// What engines that quantize src as they run multiply: integers by weights of 4 bits in groups.
TEST(matmul_quantized_tiles, multiply_integers_by_weights_of_4_bits) {
    int i = 0;
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_u4, dnnl_s4})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 18})
                    for (const dnnl_dim_t k : {128, m == 1 ? 8320 : 64}) {
                        const dnnl_dim_t n = k > 128 ? 18 : 20 + 2 * (++i % 30);
                        problem_t p = product_of({src, weights, dnnl_s32}, m, k, n);
                        p.weights_format = format;
                        expect_right_by_tiles(p);
                        p.dst_type = dnnl_f32;
                        p.weights_scale = quantity_t{3, dnnl_f16, {32, 1}};
                        expect_right_by_tiles(p);
                        p.src_scale = quantity_t{3, dnnl_f32, {1, 32}};
                        p.weights_zero_point = quantity_t{3, weights, {32, 1}};
                        expect_right_by_tiles(p);
                        p.src_zero_point = quantity_t{0, dnnl_s32};
                        expect_right_by_tiles(p);
                    }
}

/// Zero points of rows, and of groups of rows, as engines that quantize src as they run have them.
TEST(matmul_quantized_tiles, subtract_zero_points_of_rows_and_groups_of_src) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_s8, dnnl_u8, dnnl_u4})
            for (const char *format : {"ab", "any"})
                for (const dnnl_dim_t m : {1, 7, 35}) {
                    problem_t p{.src = {m, 96},
                            .weights = {96, 38},
                            .src_type = src,
                            .weights_type = weights,
                            .dst_type = dnnl_f32,
                            .weights_format = format};
                    p.src_scale = quantity_t{1, dnnl_f32};
                    p.src_zero_point = quantity_t{3, dnnl_s32, {1, 96}};
                    expect_right_by_tiles(p);
                    p.weights_scale = quantity_t{3, dnnl_f32, {32, 1}};
                    p.weights_zero_point = quantity_t{3, dnnl_s8, {32, 1}};
                    expect_right_by_tiles(p);
                    p.src_scale = quantity_t{3, dnnl_f32, {1, 32}};
                    p.src_zero_point = quantity_t{3, dnnl_u8, {1, 32}};
                    expect_right_by_tiles(p);
                }
}

TEST(matmul_quantized_tiles, multiply_integers_by_columns_of_4_bits_that_end_within_a_step) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_u4, dnnl_s4})
            for (const char *format : {"ab", "any"})
                for (const dnnl_dim_t k : {6, 30, 110})
                    for (const dnnl_dim_t m : {1, 9}) {
                        problem_t p{.src = {m, k},
                                .weights = {k, 38},
                                .src_type = src,
                                .weights_type = weights,
                                .dst_type = dnnl_s32,
                                .weights_format = format};
                        expect_right_by_tiles(p);
                        p.src_zero_point = quantity_t{0, dnnl_s32};
                        p.weights_zero_point = quantity_t{2, dnnl_s8};
                        expect_right_by_tiles(p);
                    }
}

/// Weights of format `any` have the sums behind them if src has a zero point. Without VNNI for the
/// types of src and weights, others are computed. Without a zero point they are not read.
TEST(matmul_quantized_tiles, take_the_sums_of_columns_behind_weights) {
    if (!generates_kernels()) GTEST_SKIP() << "no layout is chosen";
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const dnnl_dim_t m : {1, 16, 70})
            for (const auto &[k, n] : {std::pair(68, 37), {5, 150}, {4500, 12}}) {
                problem_t p = product_of({src, dnnl_s8, dnnl_s32}, m, k, n);
                p.weights_format = "any";
                p.src_zero_point = quantity_t{0, dnnl_s32};
                expect_right_by_tiles(p);
                p.weights_desc = std::make_shared<const memory_desc_handle_t>(
                        clone_desc(chosen_desc(describe(p), DNNL_ARG_WEIGHTS)));
                if (src == dnnl_u8) {
                    EXPECT_NE(plan_of(p).find("with sums of their columns"), std::string::npos)
                            << plan_of(p);
                }
                const layout_t elements(*p.weights_desc);
                EXPECT_TRUE(has_sums_behind(*p.weights_desc, static_cast<size_t>(elements.span())));
                p.src_zero_point.reset();
                expect_right_by_tiles(p);
            }
    // Matrices of a batch share no zero point with sums of one of them.
    problem_t batch{.src = {3, 6, 68},
            .weights = {3, 68, 37},
            .src_type = dnnl_u8,
            .weights_type = dnnl_s8,
            .dst_type = dnnl_s32,
            .weights_format = "any"};
    batch.src_zero_point = quantity_t{0, dnnl_s32};
    expect_right_by_tiles(batch);
}

} // namespace
} // namespace kiln::test::matmul
