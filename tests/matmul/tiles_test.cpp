// SPDX-License-Identifier: Apache-2.0
// Products by tiles: shapes with every remainder of tiles, panels and blocks, layouts of both
// operands, epilogues.
#include "kiln/plan.h"
#include "matmul/matmul_case.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

constexpr const char *matrix_formats[] = {"ab", "ba", "any"};

problem_t of_type(problem_t p, dnnl_data_type_t type, dnnl_data_type_t dst_type) {
    p.src_type = p.weights_type = type;
    p.dst_type = dst_type;
    return p;
}

/// By tiles where code is generated, and right.
void expect_right_by_tiles(const problem_t &p) {
    if (generates_kernels()) {
        EXPECT_EQ(implementation_names(describe(p)).front(), "jit:tiles") << to_string(p);
    }
    expect_right(p);
}

TEST(matmul_tiles, give_right_values_for_random_shapes_and_layouts) {
    random_values_t random(23);
    const auto extent = [&] { return static_cast<dnnl_dim_t>(random.between(1, 130)); };
    const auto format = [&] { return matrix_formats[static_cast<int>(random.between(0, 3))]; };
    constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f32};
    for (int i = 0; i < 20; ++i) {
        const dnnl_dim_t m = extent(), n = extent(), k = extent();
        const auto type = types[i % 4];
        expect_right_by_tiles(of_type({.src = {m, k},
                                              .weights = {k, n},
                                              .bias = {1, n},
                                              .src_format = format(),
                                              .weights_format = format(),
                                              .dst_format = i % 3 == 0 ? "ba" : "ab"},
                type, i % 5 == 0 ? dnnl_f32 : type));
    }
}

TEST(matmul_tiles, give_right_values_for_every_number_of_rows_and_columns_of_a_tile) {
    for (dnnl_dim_t m = 1; m <= 29; ++m)
        for (const dnnl_dim_t n : {15, 17, 65})
            for (const char *weights : {"ab", "any"})
                expect_right_by_tiles(
                        {.src = {m, 9}, .weights = {9, n}, .weights_format = weights});
}

TEST(matmul_tiles, add_blocks_of_k) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const dnnl_dim_t k : {1025, 2100})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 17}) {
                    const problem_t p{.src = {m, k},
                            .weights = {k, 21},
                            .bias = {m, 21},
                            .src_format = m == 1 ? "ab" : format,
                            .weights_format = format};
                    expect_right_by_tiles(of_type(p, type, type));
                    expect_right_by_tiles(of_type(p, type, dnnl_f32));
                }
}

TEST(matmul_tiles, apply_scales_bias_and_post_ops_at_the_store) {
    for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (const char *dst : {"ab", "ba"})
            for (const dnnl_dim_t k : {20, 1100}) {
                problem_t p = of_type(
                        {.src = {17, k}, .weights = {k, 45}, .bias = {1, 45}, .dst_format = dst},
                        dnnl_f32, dst_type);
                p.src_scale = quantity_t{0};
                p.weights_scale = quantity_t{2};
                p.dst_scale = quantity_t{0};
                expect_right_by_tiles(p);
            }
}

TEST(matmul_tiles, multiply_integers_exactly) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto weights : {dnnl_s8, dnnl_u8})
            for (const char *format : matrix_formats)
                for (const auto dst : {dnnl_s32, dnnl_f32, dnnl_bf16, dnnl_u8})
                    for (const auto &[m, n, k] :
                            {std::tuple(1, 17, 4), {19, 50, 33}, {40, 7, 66}, {3, 5, 4203}}) {
                        problem_t p{.src = {m, k},
                                .weights = {k, n},
                                .bias = {1, n},
                                .src_format = format,
                                .weights_format = format};
                        p.src_type = src;
                        p.weights_type = weights;
                        p.dst_type = dst;
                        if (dst != dnnl_s32) p.weights_scale = quantity_t{2};
                        // Transposed integers are packed for some types and shapes alone.
                        format == matrix_formats[1] ? expect_right(p) : expect_right_by_tiles(p);
                    }
}

TEST(matmul_tiles, convert_weights_of_8_bits) {
    for (const auto weights : {dnnl_s8, dnnl_u8})
        for (const auto src : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 3, 40}) {
                    problem_t p =
                            of_type({.src = {m, 70}, .weights = {70, 53}, .weights_format = format},
                                    src, src);
                    p.weights_type = weights;
                    p.decompresses = true;
                    p.weights_scale = quantity_t{2};
                    expect_right_by_tiles(p);
                }
}

TEST(matmul_tiles, multiply_few_rows_by_columns_that_lie_as_rows_do) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const dnnl_dim_t m : {1, 2, 3, 4, 5})
            for (const dnnl_dim_t k : {9, 64, 200})
                expect_right_by_tiles(of_type({.src = {m, k},
                                                      .weights = {k, 150},
                                                      .bias = {1, 150},
                                                      .weights_format = "ba"},
                        type, type));
}

TEST(matmul_tiles, take_matrices_that_share_weights_as_one) {
    for (const dnnl_dim_t batch : {1, 3, 8})
        for (const dims_t &bias : {dims_t{}, dims_t{1, 1, 33}, dims_t{1, 7, 33}})
            expect_right_by_tiles({.src = {batch, 7, 20}, .weights = {1, 20, 33}, .bias = bias});
}

TEST(matmul_tiles, take_single_rows_that_share_weights_as_one_matrix) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const dnnl_dim_t batch : {2, 30})
            for (const char *weights : {"", "acb", "any"})
                for (const char *src : {"", "abc+3"})
                    for (const dims_t &bias : {dims_t{}, dims_t{1, 1, 33}, dims_t{batch, 1, 33}}) {
                        const problem_t p = of_type({.src = {batch, 1, 20},
                                                            .weights = {1, 20, 33},
                                                            .bias = bias,
                                                            .src_format = src,
                                                            .weights_format = weights},
                                type, type);
                        expect_right_by_tiles(p);
                        char plan[1000] = "";
                        kiln_plan_text(describe(p), plan, sizeof(plan));
                        EXPECT_EQ(std::string(plan).find("matrices"), std::string::npos) << plan;
                    }
}

TEST(matmul_tiles, give_the_same_bits_for_any_number_of_threads) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const auto &[m, n, k] :
                {std::tuple(130, 200, 100), {1, 900, 1100}, {5, 20, 4100}, {300, 33, 40}})
            for (const char *format : matrix_formats) {
                const problem_t p = of_type(
                        {.src = {m, k}, .weights = {k, n}, .weights_format = format}, type, type);
                if (generates_kernels()) {
                    EXPECT_EQ(implementation_names(describe(p)).front(), "jit:tiles");
                }
                expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
            }
}

} // namespace
} // namespace kiln::test::matmul
