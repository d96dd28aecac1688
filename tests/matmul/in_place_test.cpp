// SPDX-License-Identifier: Apache-2.0
// Products whose operands tiles read where they are: a row-major B, a transposed A.
#include "matmul/tiles.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

/// A large row-major B is read in blocks of few steps, for all columns or for a part of them.
TEST(matmul_in_place, reads_large_row_major_weights_for_few_rows) {
    constexpr dnnl_dim_t k = 1030;
    for (const auto &[m, n, type, dst_type] :
            {std::tuple(1, 1030, dnnl_bf16, dnnl_bf16), {3, 2100, dnnl_u8, dnnl_f32},
                    {2, 2100, dnnl_s8, dnnl_s32}, {5, 1030, dnnl_f32, dnnl_f32},
                    {14, 1030, dnnl_f32, dnnl_f32}, {32, 2100, dnnl_f32, dnnl_bf16}})
        expect_right_by_tiles(
                of_type({.src = {m, k}, .weights = {k, n}, .bias = {1, n}}, type, dst_type));
    if (!generates_kernels()) return;
    const auto plan = [&](dnnl_dim_t n) { return plan_of({.src = {1, k}, .weights = {k, n}}); };
    EXPECT_NE(plan(1030).find("4 runs of blocks"), std::string::npos) << plan(1030);
    EXPECT_EQ(plan(2100).find("runs of blocks"), std::string::npos) << plan(2100);
}

/// Blocks of K are shorter where few rows wait for row-major weights from memory.
TEST(matmul_in_place, reads_long_runs_of_large_row_major_weights) {
    constexpr dnnl_dim_t k = 1030, n = 2100;
    for (const auto &[m, columns, type, dst_type] :
            {std::tuple(33, 1030, dnnl_f32, dnnl_f32), {40, 1030, dnnl_bf16, dnnl_bf16},
                    {6, 1030, dnnl_f16, dnnl_f16}, {20, 2100, dnnl_u8, dnnl_s8}})
        expect_right_by_tiles(of_type(
                {.src = {m, k}, .weights = {k, columns}, .bias = {1, columns}}, type, dst_type));
    if (!generates_kernels()) return;
    const auto plan = [&](dnnl_dim_t m) { return plan_of({.src = {m, k}, .weights = {k, n}}); };
    EXPECT_NE(plan(20).find("K in 17 blocks"), std::string::npos) << plan(20);
    EXPECT_NE(plan(100).find("K in 10 blocks"), std::string::npos) << plan(100);
    EXPECT_NE(plan(200).find("K in 2 blocks"), std::string::npos) << plan(200);
}

/// The rows of a step of bytes are joined by tiles of up to 13 rows. Rows of src at multiples of
/// pages are packed; one thread reads weights that its second-level cache does not hold in blocks.
TEST(matmul_in_place, joins_bytes_of_row_major_weights) {
    for (const auto &[m, k, n, type, dst_type] :
            {std::tuple(6, 70, 130, dnnl_u8, dnnl_s32), {8, 1030, 1000, dnnl_u8, dnnl_f32},
                    {9, 33, 47, dnnl_s8, dnnl_s8}, {11, 2050, 900, dnnl_s8, dnnl_f32},
                    {12, 4096, 100, dnnl_u8, dnnl_s32}, {13, 4096, 200, dnnl_s8, dnnl_f32}}) {
        const problem_t p =
                of_type({.src = {m, k}, .weights = {k, n}, .bias = {1, n}}, type, dst_type);
        expect_right_by_tiles(p);
        expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
    }
}

/// Columns of a transposed src are read where they are, unless many panels read them and they share
/// a few sets of the second-level cache.
TEST(matmul_in_place, reads_a_transposed_src) {
    for (const auto &[m, n, k] :
            {std::tuple(50, 40, 1100), {17, 300, 70}, {30, 7, 33}, {1024, 300, 300}, {1, 100, 30}})
        for (const char *format : matrix_formats)
            expect_right_by_tiles({.src = {m, k},
                    .weights = {k, n},
                    .bias = {1, n},
                    .src_format = "ba",
                    .weights_format = format});
    if (!generates_kernels()) return;
    const auto plan = [&](dnnl_dim_t m, dnnl_dim_t n) {
        return plan_of({.src = {m, 1024}, .weights = {1024, n}, .src_format = "ba"});
    };
    EXPECT_EQ(plan(1024, 40).find("A packed"), std::string::npos) << plan(1024, 40);
    EXPECT_EQ(plan(1000, 1000).find("A packed"), std::string::npos) << plan(1000, 1000);
    EXPECT_NE(plan(4096, 1000).find("A packed"), std::string::npos) << plan(4096, 1000);
}

} // namespace
} // namespace kiln::test::matmul
