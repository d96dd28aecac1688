// SPDX-License-Identifier: Apache-2.0
// Products of floats by compressed weights, by tiles: integers with scales and zero points of
// groups.
#include <cmath>

#include "matmul/tiles.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

TEST(matmul_compressed_tiles, convert_weights_of_8_bits) {
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

struct compression_t {
    dnnl_data_type_t weights, scale, zero_point; // undef: none
    int mask;                                    // of zero points
    dnnl_dim_t group;                            // of scales and zero points along K; 0: none
    dnnl_dim_t zero_group = 0;                   // of zero points; 0: as of scales
};

problem_t compressed(problem_t p, const compression_t &c, dnnl_data_type_t src) {
    p = of_type(p, src, src);
    p.weights_type = c.weights;
    p.decompresses = true;
    const dims_t groups = c.group == 0 ? dims_t{} : dims_t{c.group, 1};
    const int mask = c.group == 0 ? 2 : 3;
    if (c.scale != dnnl_data_type_undef) p.weights_scale = quantity_t{mask, c.scale, groups};
    if (c.zero_point != dnnl_data_type_undef)
        p.weights_zero_point = quantity_t{c.mask, c.zero_point,
                c.zero_group != 0 ? dims_t{c.zero_group, 1}
                : c.mask & 1      ? groups
                                  : dims_t{}};
    return p;
}

constexpr auto none = dnnl_data_type_undef;
constexpr compression_t compressions[] = {
        {dnnl_s4, dnnl_f32, none, 0, 32},
        {dnnl_u4, dnnl_f16, dnnl_u4, 3, 32},
        {dnnl_u4, dnnl_bf16, dnnl_u8, 3, 16},
        {dnnl_s4, dnnl_f32, dnnl_s4, 3, 64},
        {dnnl_u4, dnnl_f32, dnnl_s32, 0, 0},
        {dnnl_s4, dnnl_f32, dnnl_s8, 2, 0},
        {dnnl_u4, none, none, 0, 0},
        {dnnl_s8, dnnl_f16, none, 0, 32},
        {dnnl_u8, dnnl_f32, dnnl_u8, 3, 64},
        {dnnl_u8, dnnl_f32, dnnl_u8, 0, 0},
        {dnnl_s8, dnnl_f32, dnnl_s32, 2, 0},
        {dnnl_u8, none, dnnl_s8, 3, 32},
        {dnnl_u4, dnnl_f32, dnnl_u4, 3, 32, 64},
        {dnnl_s4, dnnl_bf16, dnnl_s8, 3, 64, 16},
        {dnnl_s8, dnnl_f32, dnnl_s8, 3, 64, 32},
};

TEST(matmul_compressed_tiles, convert_compressed_weights_with_groups) {
    int i = 0;
    for (const compression_t &c : compressions)
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t m : {1, 4, 6, 17}) {
                constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
                const dnnl_dim_t n = 2 * (20 + i * 7 % 30);
                expect_right_by_tiles(
                        compressed({.src = {m, 128}, .weights = {128, n}, .weights_format = format},
                                c, types[i++ % 3]));
            }
}

TEST(matmul_compressed_tiles, convert_compressed_weights_block_by_block) {
    for (const compression_t &c :
            {compressions[1], compressions[3], compressions[8], compressions[4],
                    // 13 groups of a zero point lie in two blocks.
                    compression_t{dnnl_u4, dnnl_f32, dnnl_u8, 3, 64, 832}})
        for (const char *format : matrix_formats)
            for (const auto type : {dnnl_f32, dnnl_bf16}) {
                // Blocks of 1024 steps of up to 8 elements.
                const dnnl_dim_t k = c.weights == dnnl_u8 ? 4224 : 8320;
                expect_right_by_tiles(compressed(
                        {.src = {2, k}, .weights = {k, 18}, .weights_format = format}, c, type));
            }
}

/// For few rows AMX converts packed weights step by step, if bf16 has all differences from zero
/// points and groups are whole steps.
TEST(matmul_compressed_tiles, are_converted_step_by_step_for_amx) {
    if (!has_amx()) GTEST_SKIP() << "no AMX";
    const auto is_by_steps = [](const problem_t &p) {
        return plan_of(p).find("step by step for AMX") != std::string::npos;
    };
    for (const auto &[c, is_exact] : {std::pair(0, true), {1, true}, {2, false}, {3, true},
                 {4, false}, {6, true}, {7, true}, {8, true}, {9, true}, {12, false}, {14, false}})
        for (const auto &[m, k, n] : {std::tuple(1, 384, 134), {4, 256, 70}, {16, 448, 200},
                     {17, 256, 130}, {32, 128, 140}, {33, 128, 140}})
            for (const auto src : {dnnl_bf16, dnnl_f32, dnnl_f16}) {
                problem_t p =
                        compressed({.src = {m, k}, .weights = {k, n}, .weights_format = "any"},
                                compressions[c], src);
                if (src == dnnl_f32) p.fpmath = dnnl_fpmath_mode_bf16;
                expect_right_by_tiles(p);
                const dnnl_dim_t least = src == dnnl_f16                         ? 8
                                         : is_half_byte(compressions[c].weights) ? 1
                                                                                 : 4;
                const bool takes_rows = m >= least && (m <= 32 || src == dnnl_f16);
                EXPECT_EQ(is_by_steps(p), is_exact && takes_rows) << plan_of(p);
            }
    // Elements that fill neither a step nor a lane; weights from memory.
    for (const auto &[weights, m, k, n] : {std::tuple(dnnl_s8, 5, 129, 70), {dnnl_u4, 5, 129, 70},
                 {dnnl_u4, 20, 158, 140}, {dnnl_s8, 1, 2110, 1300}, {dnnl_u4, 33, 4212, 1000}}) {
        problem_t p = of_type(
                {.src = {m, k}, .weights = {k, n}, .weights_format = "any"}, dnnl_bf16, dnnl_f32);
        p.weights_type = weights;
        p.decompresses = true;
        expect_right_by_tiles(p);
        EXPECT_TRUE(is_by_steps(p)) << plan_of(p);
    }
}

/// Numbers of f16 are two of bf16 for AMX; infinities and NaN give what they give by vectors.
TEST(matmul_compressed_tiles, take_infinite_elements_of_f16) {
    for (const double first : {HUGE_VAL, -HUGE_VAL, std::nan(""), 65504.0}) {
        problem_t p = of_type({.src = {9, 160}, .weights = {160, 70}, .weights_format = "any"},
                dnnl_f16, dnnl_f32);
        p.weights_type = dnnl_s4;
        p.decompresses = true;
        p.first_src = first;
        expect_right_by_tiles(p);
    }
}

/// Up to 32 rows are integers of digits where `vpdpbusd` multiplies 512 bits and floats may be
/// rounded.
TEST(matmul_compressed_tiles, multiply_few_rows_as_digits) {
    const auto has_digits = [](const problem_t &p) {
        return plan_of(p).find("_digits") != std::string::npos;
    };
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    int i = 0;
    for (const compression_t &c : compressions)
        for (const auto &[m, k] : {std::pair(1, 64), {2, 192}, {5, 128}, {32, 64}, {33, 64}}) {
            constexpr dnnl_data_type_t types[] = {dnnl_bf16, dnnl_f16, dnnl_f32};
            constexpr dnnl_dim_t columns[] = {2, 18, 34, 70, 134};
            const dnnl_data_type_t type = types[i++ % 3];
            problem_t p = compressed(
                    {.src = {m, k}, .weights = {k, columns[i % 5]}, .weights_format = "any"}, c,
                    type);
            EXPECT_FALSE(has_digits(p)) << plan_of(p);
            p.fpmath = type == dnnl_f16 ? dnnl_fpmath_mode_f16 : dnnl_fpmath_mode_bf16;
            expect_right_by_tiles(p);
            if (m > 32 || isa < dnnl_cpu_isa_avx512_core_vnni) {
                EXPECT_FALSE(has_digits(p)) << plan_of(p);
            } else if (isa == dnnl_cpu_isa_avx512_core_vnni) { // others may have faster steps
                EXPECT_TRUE(has_digits(p)) << plan_of(p);
            }
        }
}

/// Sums of products of longer groups might exceed 32 bits.
TEST(matmul_compressed_tiles, multiply_groups_of_up_to_65536_elements_as_digits) {
    if (dnnl_get_effective_cpu_isa() != dnnl_cpu_isa_avx512_core_vnni)
        GTEST_SKIP() << "other levels may have faster steps";
    for (const dnnl_dim_t group : {65536, 131072}) {
        problem_t p = compressed(
                {.src = {1, 2 * group}, .weights = {2 * group, 2}, .weights_format = "any"},
                {dnnl_u8, dnnl_f32, none, 0, group}, dnnl_bf16);
        p.fpmath = dnnl_fpmath_mode_bf16;
        expect_right_by_tiles(p);
        EXPECT_EQ(plan_of(p).find("_digits") != std::string::npos, group == 65536) << plan_of(p);
    }
}

TEST(matmul_compressed_tiles, multiply_infinite_elements_as_digits) {
    for (const auto weights : {dnnl_s4, dnnl_s8})
        for (const auto type : {dnnl_bf16, dnnl_f16})
            for (const double first : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0.0}) {
                problem_t p =
                        of_type({.src = {2, 160}, .weights = {160, 70}, .weights_format = "any"},
                                type, dnnl_f32);
                p.weights_type = weights;
                p.decompresses = true;
                p.fpmath = dnnl_fpmath_mode_any;
                p.first_src = first;
                expect_right_by_tiles(p);
            }
}

TEST(matmul_compressed_tiles, convert_packed_weights_once_for_all_strips) {
    if (!generates_kernels()) GTEST_SKIP() << "no kernels";
    const auto converts = [](const problem_t &p) {
        return plan_of(p).find("converted while they are read") != std::string::npos;
    };
    int i = 0;
    for (const compression_t &c : compressions)
        for (const dnnl_dim_t m : {2, 15, 31, 90})
            for (const dnnl_dim_t k : {128, 1152}) {
                constexpr dnnl_dim_t columns[] = {6, 34, 70};
                problem_t p = compressed(
                        {.src = {m, k}, .weights = {k, columns[i++ % 3]}, .weights_format = "any"},
                        c, dnnl_f32);
                expect_right_by_tiles(p);
                if (m == 2) { // one strip
                    EXPECT_FALSE(converts(p)) << to_string(p);
                } else if (m == 90) {
                    EXPECT_TRUE(converts(p)) << to_string(p);
                }
            }
}

/// Blocks of K of other numbers of lanes than the last one.
TEST(matmul_compressed_tiles, pack_and_convert_plain_weights_block_by_block) {
    for (const auto weights : {dnnl_s8, dnnl_u4})
        for (const char *format : {"ab", "ba"})
            for (const dnnl_dim_t k : {2112, 2200, 4304})
                for (const dnnl_dim_t group : {0, 8}) {
                    problem_t p = compressed(
                            {.src = {12, k}, .weights = {k, 6}, .weights_format = format},
                            {weights, dnnl_f32, weights, 2, group}, dnnl_bf16);
                    p.fpmath = dnnl_fpmath_mode_bf16;
                    expect_right_by_tiles(p);
                    problem_t of_bytes{.src = {12, k}, .weights = {k, 6}, .weights_format = format};
                    of_bytes.src_type = dnnl_u8;
                    of_bytes.weights_type = weights;
                    if (group == 0) expect_right_by_tiles(of_bytes);
                }
}

TEST(matmul_compressed_tiles, convert_columns_of_4_bits_that_end_within_a_step) {
    for (const auto weights : {dnnl_s4, dnnl_u4})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t k : {4, 62, 1102})
                for (const dnnl_dim_t m : {1, 9})
                    expect_right_by_tiles(compressed(
                            {.src = {m, k}, .weights = {k, 38}, .weights_format = format},
                            {weights, dnnl_f32, dnnl_s8, 2, 0}, dnnl_bf16));
}

// Its elements are adjacent in either order, and may end within a byte.
TEST(matmul_compressed_tiles, convert_a_single_column_of_4_bits) {
    for (const auto weights : {dnnl_s4, dnnl_u4})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t k : {1, 7, 64, 1103})
                for (const dnnl_dim_t m : {1, 5, 40})
                    for (const auto src : {dnnl_f32, dnnl_bf16})
                        expect_right_by_tiles(compressed(
                                {.src = {m, k}, .weights = {k, 1}, .weights_format = format},
                                {weights, dnnl_f32, dnnl_s8, 0, k == 64 ? 32 : 0}, src));
}

TEST(matmul_compressed_tiles, round_floats_to_bf16_where_compressed_weights_allow_it) {
    for (const auto mode : {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_any})
        for (const char *format : matrix_formats)
            for (const auto &compression : compressions)
                for (const auto &[m, src] : {std::pair(3, "ab"), {40, "ab"}, {40, "ba"}}) {
                    problem_t p = compressed({.src = {m, 64},
                                                     .weights = {64, 70},
                                                     .src_format = src,
                                                     .weights_format = format},
                            compression, dnnl_f32);
                    p.fpmath = mode;
                    expect_right_by_tiles(p);
                }
}

TEST(matmul_compressed_tiles, take_compressed_weights_of_a_batch) {
    for (const dnnl_dim_t weights_batch : {1, 3})
        for (const int mask : {6, 7}) {
            problem_t p = of_type(
                    {.src = {3, 5, 64}, .weights = {weights_batch, 64, 48}}, dnnl_f32, dnnl_f32);
            p.weights_type = dnnl_u4;
            p.decompresses = true;
            p.weights_scale = quantity_t{mask, dnnl_f32, {32, 1}};
            p.weights_zero_point = quantity_t{mask, dnnl_u4, {32, 1}};
            expect_right_by_tiles(p);
        }
}

/// Weights are packed once, for the prompt or for the first token, and multiplied by any number of
/// rows.
TEST(matmul_compressed_tiles, take_weights_that_were_packed_for_another_number_of_rows) {
    struct product_types_t {
        dnnl_data_type_t src, weights, dst;
    };
    if (!generates_kernels()) GTEST_SKIP() << "no layout is chosen";
    for (const auto &[src, weights, dst] :
            {product_types_t{dnnl_f32, dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16, dnnl_f32},
                    {dnnl_f16, dnnl_f16, dnnl_f16}, {dnnl_f32, dnnl_bf16, dnnl_f32},
                    {dnnl_u8, dnnl_s8, dnnl_s32}, {dnnl_s8, dnnl_s8, dnnl_s32},
                    {dnnl_u8, dnnl_u8, dnnl_s32}, {dnnl_s8, dnnl_u8, dnnl_f32},
                    {dnnl_s8, dnnl_s4, dnnl_f32}, {dnnl_u8, dnnl_u4, dnnl_f32},
                    {dnnl_f32, dnnl_s8, dnnl_f32}, {dnnl_bf16, dnnl_u4, dnnl_bf16},
                    {dnnl_f32, dnnl_s4, dnnl_f32}, {dnnl_f16, dnnl_u8, dnnl_f32}})
        for (const dnnl_dim_t packed_for : {1, 2, 16, 200})
            for (const dnnl_dim_t m : {1, 2, 16, 200}) {
                problem_t p{.src = {packed_for, 66},
                        .weights = {66, 34},
                        .src_type = src,
                        .weights_type = weights,
                        .dst_type = dst,
                        .weights_format = "any"};
                p.decompresses = !is_integer(src) && is_integer(weights);
                p.weights_desc = std::make_shared<const memory_desc_handle_t>(
                        clone_desc(chosen_desc(describe(p), DNNL_ARG_WEIGHTS)));
                p.src = {m, 66};
                expect_right_by_tiles(p);
            }
}

TEST(matmul_compressed_tiles, with_groups_give_the_same_bits_for_any_number_of_threads) {
    for (const char *format : matrix_formats)
        for (const auto &[m, n, k, c] : {std::tuple(1, 700, 512, 1), {40, 100, 128, 1},
                     {2, 18, 16512, 1}, {2, 700, 512, 8}}) {
            for (const auto src : {dnnl_f32, dnnl_f16, dnnl_bf16}) {
                problem_t p =
                        compressed({.src = {m, k}, .weights = {k, n}, .weights_format = format},
                                compressions[c], src);
                if (src == dnnl_bf16) p.fpmath = dnnl_fpmath_mode_bf16;
                expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
            }
        }
}

/// Where columns of dst are adjacent and weights cannot be A, dst goes by a copy.
TEST(matmul_compressed_tiles, write_columns_of_dst_by_a_copy) {
    for (const char *format : matrix_formats)
        for (const dnnl_dim_t m : {3, 20}) {
            problem_t p = compressed({.src = {m, 64},
                                             .weights = {64, 34},
                                             .bias = {1, 34},
                                             .weights_format = format,
                                             .dst_format = "ba"},
                    compressions[1], dnnl_f32);
            expect_right_by_kernels(p);
            p = {.src = {m, 64},
                    .weights = {64, 34},
                    .src_type = dnnl_u8,
                    .weights_type = dnnl_s8,
                    .dst_type = dnnl_s32,
                    .weights_format = format,
                    .dst_format = "ba"};
            p.src_zero_point = quantity_t{0, dnnl_s32};
            expect_right_by_kernels(p);
        }
}

} // namespace
} // namespace kiln::test::matmul
