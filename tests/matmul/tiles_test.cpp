// SPDX-License-Identifier: Apache-2.0
// Products of floats by tiles: shapes with every remainder of tiles, panels and blocks, layouts of
// both operands, epilogues.
#include "matmul/tiles.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

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

/// Extents up to 200, so that every remainder of rows, of vectors and of steps may occur.
TEST(matmul_tiles, give_right_values_for_larger_random_shapes) {
    random_values_t random(29);
    const auto extent = [&] { return static_cast<dnnl_dim_t>(random.between(1, 201)); };
    for (int i = 0; i < 12; ++i) {
        const dnnl_dim_t m = extent(), n = extent(), k = extent();
        problem_t p = of_type({.src = {m, k},
                                      .weights = {k, n},
                                      .src_format = i % 4 == 3 ? "ba" : "ab",
                                      .weights_format = matrix_formats[i % 3]},
                i % 2 == 0 ? dnnl_f32 : dnnl_bf16, dnnl_f32);
        if (i % 3 == 2) p.src_type = dnnl_u8, p.weights_type = dnnl_s8, p.dst_type = dnnl_s32;
        expect_right_by_kernels(p);
    }
}

TEST(matmul_tiles, give_right_values_for_every_number_of_rows_and_columns_of_a_tile) {
    for (dnnl_dim_t m = 1; m <= 29; ++m)
        for (const dnnl_dim_t n : {8, 15, 17, 65})
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

// Rows of src beyond a quarter of the last-level cache, at most 8 MiB, are another chunk.
TEST(matmul_tiles, multiply_rows_chunk_by_chunk) {
    expect_right_by_tiles({.src = {2200, 1000}, .weights = {1000, 5}, .weights_format = "any"});
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

TEST(matmul_tiles, round_floats_to_bf16_where_the_attribute_allows_it) {
    for (const char *format : matrix_formats)
        for (const char *src : {"ab", "ba"})
            for (const dnnl_dim_t k : {33, 64, 2100}) {
                problem_t p{.src = {40, k},
                        .weights = {k, 37},
                        .src_format = src,
                        .weights_format = format};
                p.fpmath = dnnl_fpmath_mode_bf16;
                expect_right_by_tiles(p);
            }
}

TEST(matmul_tiles, pack_transposed_operands_of_bf16) {
    for (const dnnl_dim_t m : {7, 40})
        for (const dnnl_dim_t k : {31, 64, 2101})
            for (const char *src : {"ab", "ba"})
                expect_right_by_tiles(of_type({.src = {m, k},
                                                      .weights = {k, 37},
                                                      .src_format = src,
                                                      .weights_format = "ba"},
                        dnnl_bf16, dnnl_f32));
}

/// Elements of the operand are read before those of dst are written, in each number of blocks of K.
TEST(matmul_tiles, read_the_operand_of_a_post_op_in_the_buffer_of_dst) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const char *format : {"ab", "ba"})
            for (const auto &[m, n, k] : {std::tuple(20, 50, 40), {33, 70, 1100}, {3, 20, 2100},
                         {1, 40, 4200}, {2, 30, 64}}) {
                problem_t p = of_type(
                        {.src = {m, k}, .weights = {k, n}, .dst_format = format}, type, type);
                p.post_ops = {{.alg = dnnl_binary_add, .mask = 3, .type = type, .format = format},
                        {.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1}};
                p.dst_is_operand = true;
                expect_right_by_tiles(p);
            }
}

TEST(matmul_tiles, take_few_columns_that_were_packed_for_another_number_of_rows) {
    if (!generates_kernels()) GTEST_SKIP() << "no layout is chosen";
    for (const dnnl_dim_t n : {1, 5, 8})
        for (const dnnl_dim_t packed_for : {1, 3, 40})
            for (const dnnl_dim_t m : {1, 3, 40})
                for (const auto fpmath : {dnnl_fpmath_mode_strict, dnnl_fpmath_mode_bf16}) {
                    problem_t p{
                            .src = {packed_for, 66}, .weights = {66, n}, .weights_format = "any"};
                    p.fpmath = fpmath;
                    p.weights_desc = std::make_shared<const memory_desc_handle_t>(
                            clone_desc(chosen_desc(describe(p), DNNL_ARG_WEIGHTS)));
                    p.src = {m, 66};
                    expect_right_by_tiles(p);
                }
}

/// Weights that exceed the second-level cache are read in several streams.
TEST(matmul_tiles, multiply_few_rows_by_large_packed_weights) {
    constexpr dnnl_dim_t k = 1030, n = 2100;
    for (const auto &[m, columns, type, dst_type] : {std::tuple(1, 1030, dnnl_f32, dnnl_f32),
                 {2, 1030, dnnl_bf16, dnnl_f32}, {3, 2100, dnnl_s8, dnnl_s32}})
        expect_right_by_tiles(of_type(
                {.src = {m, k}, .weights = {k, columns}, .weights_format = "any"}, type, dst_type));
    if (!generates_kernels()) return;
    const auto plan = [&](dnnl_dim_t m) {
        return plan_of({.src = {m, k}, .weights = {k, n}, .weights_format = "any"});
    };
    EXPECT_NE(plan(1).find("_streams"), std::string::npos) << plan(1);
    EXPECT_EQ(plan(40).find("_streams"), std::string::npos) << plan(40);
}

/// f16 has no products of its own at any level. A single strip converts each element once.
TEST(matmul_tiles, convert_packed_weights_once_for_all_strips) {
    if (!generates_kernels()) GTEST_SKIP() << "no kernels";
    for (const dnnl_dim_t m : {2, 15, 16, 31, 90})
        for (const dnnl_dim_t n : {1, 32, 77, 160})
            for (const dnnl_dim_t k : {7, 129, 1100})
                for (const auto type : {dnnl_f16, dnnl_bf16}) {
                    problem_t p =
                            of_type({.src = {m, k}, .weights = {k, n}, .weights_format = "any"},
                                    type, dnnl_f32);
                    p.bias = {1, n};
                    expect_right_by_tiles(p);
                }
    const auto converts = [](dnnl_dim_t m) {
        return plan_of(of_type({.src = {m, 64}, .weights = {64, 64}, .weights_format = "any"},
                               dnnl_f16, dnnl_f16))
                       .find("converted while they are read")
               != std::string::npos;
    };
    EXPECT_FALSE(converts(2));
    EXPECT_TRUE(converts(40));
}

/// Eight columns of f32 are a vector of 256 bits; scalar products have vectors along K.
TEST(matmul_tiles, multiply_few_columns_by_narrow_vectors) {
    if (!generates_kernels()) GTEST_SKIP() << "no kernels";
    for (const char *weights : {"ab", "any"}) {
        const auto plan = [&](dnnl_dim_t n) {
            return plan_of({.src = {40, 24}, .weights = {24, n}, .weights_format = weights});
        };
        EXPECT_NE(plan(8).find("_avx2"), std::string::npos) << plan(8);
        EXPECT_NE(plan(1).find("scalar products"), std::string::npos) << plan(1);
        if (plan(64).find("_avx2") == std::string::npos) {
            EXPECT_EQ(plan(1).find("_avx2"), std::string::npos) << plan(1);
            EXPECT_EQ(plan(9).find("_avx2"), std::string::npos) << plan(9);
        }
    }
}

/// Shorter columns, and more of them, are multiplied by tiles.
TEST(matmul_tiles, multiply_a_few_long_columns_as_scalar_products) {
    if (!generates_kernels()) GTEST_SKIP() << "no kernels";
    for (const char *weights : {"ab", "ba", "any"})
        for (const auto &[k, n, expected] : {std::tuple<dnnl_dim_t, dnnl_dim_t, bool>{300, 2, true},
                     {301, 5, true}, {5000, 4, true}, {3, 2, false}, {300, 64, false}}) {
            problem_t p{.src = {40, k}, .weights = {k, n}, .weights_format = weights};
            const std::string plan = plan_of(p);
            EXPECT_EQ(plan.find("scalar products") != std::string::npos, expected) << plan;
        }
}

TEST(matmul_tiles, multiply_few_rows_by_long_columns_as_scalar_products) {
    if (!generates_kernels()) GTEST_SKIP() << "no kernels";
    for (const auto &[m, k, expected] : {std::tuple<dnnl_dim_t, dnnl_dim_t, bool>{1, 3, false},
                 {1, 64, true}, {2, 6, false}, {2, 128, true}, {4, 12, false}, {4, 256, true}})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
            const problem_t p = of_type(
                    {.src = {m, k}, .weights = {k, 70}, .weights_format = "ba"}, type, type);
            const std::string plan = plan_of(p);
            EXPECT_EQ(plan.find("scalar products") != std::string::npos, expected) << plan;
            expect_right_by_tiles(p);
        }
}

TEST(matmul_tiles, multiply_few_columns_of_every_type) {
    struct types_t {
        dnnl_data_type_t src, weights, dst;
    };
    for (const auto &[src, weights, dst] :
            {types_t{dnnl_f32, dnnl_f32, dnnl_f32}, {dnnl_f32, dnnl_f32, dnnl_bf16},
                    {dnnl_bf16, dnnl_bf16, dnnl_f32}, {dnnl_f16, dnnl_f16, dnnl_f16},
                    {dnnl_bf16, dnnl_bf16, dnnl_bf16}, {dnnl_u8, dnnl_s8, dnnl_s32},
                    {dnnl_s8, dnnl_s8, dnnl_f32}, {dnnl_u8, dnnl_u8, dnnl_s8},
                    {dnnl_f8_e4m3, dnnl_f32, dnnl_f32}, {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_bf16},
                    {dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_f8_e4m3}})
        for (const char *format : {"ab", "ba", "any"})
            for (const dnnl_dim_t n : {2, 3, 5, 7, 12})
                for (const dnnl_dim_t k : {301, 1400})
                    for (const bool has_post_ops : {false, true}) {
                        const dnnl_dim_t m = k < 1000 ? 100 : 17;
                        problem_t p{.src = {m, k}, .weights = {k, n}, .weights_format = format};
                        p.src_type = src;
                        p.weights_type = weights;
                        p.dst_type = dst;
                        if (has_post_ops) p.bias = {1, n};
                        if (has_post_ops) p.post_ops = {{.alg = dnnl_eltwise_relu}};
                        expect_right_by_tiles(p);
                    }
}

TEST(matmul_tiles, scale_rows_of_src) {
    for (const auto type : {dnnl_s8, dnnl_f32}) {
        problem_t p = of_type({.src = {9, 40}, .weights = {40, 33}}, type, dnnl_f32);
        p.src_scale = quantity_t{1, dnnl_f32};
        p.weights_scale = quantity_t{2};
        expect_right_by_tiles(p);
    }
}

TEST(matmul_tiles, multiply_floats_of_two_types) {
    for (const auto src : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const auto weights : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 3, 31}) {
                    problem_t p{.src = {m, 50}, .weights = {50, 45}, .weights_format = format};
                    p.src_type = src;
                    p.weights_type = weights;
                    expect_right_by_tiles(p);
                }
}

TEST(matmul_tiles, convert_f8) {
    for (const auto type : {dnnl_f8_e5m2, dnnl_f8_e4m3})
        for (const auto &[src, weights] : {std::pair(dnnl_f32, type), {dnnl_bf16, type},
                     {dnnl_f16, type}, {type, type}, {type, dnnl_f32}})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 3, 31})
                    for (const dnnl_dim_t n : {1, 45}) {
                        problem_t p{.src = {m, 50}, .weights = {50, n}, .weights_format = format};
                        p.src_type = src;
                        p.weights_type = weights;
                        expect_right_by_tiles(p);
                        p.dst_type = type;
                        expect_right_by_tiles(p);
                    }
}

TEST(matmul_tiles, scale_groups_of_narrow_floats) {
    for (const auto type : {dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_bf16})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t m : {1, 2, 31}) {
                problem_t p{.src = {m, 128},
                        .weights = {128, 45},
                        .weights_format = format,
                        .weights_scale = quantity_t{.mask = 3, .groups = {16, 1}}};
                if (m != 2 && type != dnnl_bf16)
                    p.weights_zero_point = quantity_t{.mask = 2, .type = dnnl_s8};
                p.src_type = dnnl_bf16;
                p.weights_type = type;
                expect_right_by_tiles(p);
            }
}

/// As mx formats have them: a power of two for 32 elements of a row, or of a column.
TEST(matmul_tiles, scale_groups_by_narrow_floats) {
    for (const auto scale : {dnnl_e8m0, dnnl_f8_e4m3})
        for (const auto type : {dnnl_f8_e5m2, dnnl_f32})
            for (const char *format : matrix_formats)
                for (const dnnl_dim_t m : {1, 31})
                    for (const bool of_groups : {false, true}) {
                        problem_t p{
                                .src = {m, 128}, .weights = {128, 45}, .weights_format = format};
                        p.src_type = p.weights_type = type;
                        p.src_scale = quantity_t{.mask = 1, .type = scale};
                        p.weights_scale = quantity_t{.mask = 2, .type = scale};
                        if (of_groups) {
                            p.src_scale = quantity_t{.mask = 3, .type = scale, .groups = {1, 32}};
                            p.weights_scale =
                                    quantity_t{.mask = 3, .type = scale, .groups = {32, 1}};
                        }
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

TEST(matmul_tiles, scale_each_element_of_few_rows) {
    for (const dnnl_dim_t m : {1, 3})
        for (const char *weights : {"ab", "ba", "any"})
            for (const auto type : {dnnl_f32, dnnl_bf16})
                expect_right_by_tiles(of_type({.src = {m, 67},
                                                      .weights = {67, 32},
                                                      .weights_format = weights,
                                                      .src_scale = quantity_t{.mask = 3}},
                        type, dnnl_f32));
}

TEST(matmul_tiles, take_no_weights_with_gaps_along_both_axes) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const dnnl_dim_t m : {1, 3, 40})
            for (const char *weights : {"ab*2", "ba*3"})
                expect_right(of_type({.src = {m, 6}, .weights = {6, 40}, .weights_format = weights},
                        type, type));
}

TEST(matmul_tiles, give_the_same_bits_for_any_number_of_threads) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const auto &[m, n, k] : {std::tuple(130, 200, 100), {1, 900, 1100}, {4, 56, 300},
                     {5, 20, 4100}, {300, 33, 40}, {20, 701, 820}, {4, 701, 820}, {3, 1030, 1030}})
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
