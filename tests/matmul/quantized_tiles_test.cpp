// SPDX-License-Identifier: Apache-2.0
// Products of integers, and of floats by compressed weights, by tiles: groups, zero points, scales.
#include "matmul/tiles.hpp"
#include "support/thread_checks.hpp"

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

TEST(matmul_quantized_tiles, convert_weights_of_8_bits) {
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

TEST(matmul_quantized_tiles, convert_compressed_weights_with_groups) {
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

TEST(matmul_quantized_tiles, convert_compressed_weights_block_by_block) {
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

TEST(matmul_quantized_tiles, convert_packed_weights_once_for_all_strips) {
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
TEST(matmul_quantized_tiles, pack_and_convert_plain_weights_block_by_block) {
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

TEST(matmul_quantized_tiles, convert_columns_of_4_bits_that_end_within_a_step) {
    for (const auto weights : {dnnl_s4, dnnl_u4})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t k : {4, 62, 1102})
                for (const dnnl_dim_t m : {1, 9})
                    expect_right_by_tiles(compressed(
                            {.src = {m, k}, .weights = {k, 38}, .weights_format = format},
                            {weights, dnnl_f32, dnnl_s8, 2, 0}, dnnl_bf16));
}

// Its elements are adjacent in either order, and may end within a byte.
TEST(matmul_quantized_tiles, convert_a_single_column_of_4_bits) {
    for (const auto weights : {dnnl_s4, dnnl_u4})
        for (const char *format : matrix_formats)
            for (const dnnl_dim_t k : {1, 7, 64, 1103})
                for (const dnnl_dim_t m : {1, 5, 40})
                    for (const auto src : {dnnl_f32, dnnl_bf16})
                        expect_right_by_tiles(compressed(
                                {.src = {m, k}, .weights = {k, 1}, .weights_format = format},
                                {weights, dnnl_f32, dnnl_s8, 0, k == 64 ? 32 : 0}, src));
}

TEST(matmul_quantized_tiles, round_floats_to_bf16_where_compressed_weights_allow_it) {
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

TEST(matmul_quantized_tiles, take_compressed_weights_of_a_batch) {
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

/// Where columns of dst are adjacent and weights cannot be A, dst goes by a copy.
TEST(matmul_quantized_tiles, write_columns_of_dst_by_a_copy) {
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

/// Weights are packed once, for the prompt or for the first token, and multiplied by any number of
/// rows.
TEST(matmul_quantized_tiles, take_weights_that_were_packed_for_another_number_of_rows) {
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

TEST(matmul_quantized_tiles, with_groups_give_the_same_bits_for_any_number_of_threads) {
    for (const char *format : matrix_formats)
        for (const auto &[m, n, k, c] : {std::tuple(1, 700, 512, 1), {40, 100, 128, 1},
                     {2, 18, 16512, 1}, {2, 700, 512, 8}}) {
            const problem_t p =
                    compressed({.src = {m, k}, .weights = {k, n}, .weights_format = format},
                            compressions[c], dnnl_f32);
            expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
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
