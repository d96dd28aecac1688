// SPDX-License-Identifier: Apache-2.0
// Products that AMX multiplies, on machines that have it.
#include <cmath>

#include "matmul/tiles.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::matmul {
namespace {

class matmul_amx : public testing::Test {
protected:
    void SetUp() override {
        if (!has_amx()) GTEST_SKIP() << "no AMX";
    }
};

bool is_by_amx(const problem_t &p) { return plan_of(p).find("AMX") != std::string::npos; }
bool is_split(const problem_t &p) { return plan_of(p).find("_split_") != std::string::npos; }

/// AMX: calls of up to 32 rows, four panels and eight steps of 64 bytes, blocks of K, one after the
/// other or side by side, rows that are packed because they begin within cache lines, and those
/// that are fetched ahead.
TEST_F(matmul_amx, multiplies_bf16_and_bytes_of_many_shapes) {
    for (const auto &[m, n, k] :
            {std::tuple(5, 16, 600), {33, 40, 33}, {40, 300, 100}, {65, 17, 1000}, {100, 320, 33},
                    {34, 530, 33}, {33, 34, 4200}, {600, 18, 1040}, {4, 64, 4096}})
        for (const char *format : {"ab", "any"})
            for (const auto type : {dnnl_bf16, dnnl_s8})
                for (const auto dst_type : {dnnl_f32, type}) {
                    const problem_t p =
                            of_type({.src = {m, k}, .weights = {k, n}, .weights_format = format},
                                    type, dst_type);
                    expect_right_by_tiles(p);
                    if (m > 5 && k > 33) {
                        EXPECT_TRUE(is_by_amx(p)) << plan_of(p);
                    }
                }
}

/// AMX multiplies few rows by packed weights of up to 4 MiB; by larger ones vectors multiply a few
/// rows more.
TEST_F(matmul_amx, multiplies_few_rows_by_near_packed_weights) {
    const auto takes = [](dnnl_dim_t m, dnnl_dim_t n, dnnl_data_type_t type) {
        return is_by_amx(of_type(
                {.src = {m, 1030}, .weights = {1030, n}, .weights_format = "any"}, type, dnnl_f32));
    };
    for (const auto &[type, near, far, few] :
            {std::tuple(dnnl_bf16, 1900, 2100, 3), {dnnl_s8, 3900, 4200, 4}}) {
        EXPECT_FALSE(takes(1, near, type));
        EXPECT_TRUE(takes(2, near, type));
        EXPECT_FALSE(takes(few, far, type));
        EXPECT_TRUE(takes(few + 1, far, type));
    }
    for (const auto type : {dnnl_bf16, dnnl_s8})
        for (const dnnl_dim_t m : {2, 4})
            expect_right_by_tiles(
                    of_type({.src = {m, 1030}, .weights = {1030, 2100}, .weights_format = "any"},
                            type, dnnl_f32));
}

/// AMX fetches the next block of such weights while it multiplies the present one.
TEST_F(matmul_amx, multiplies_some_rows_by_long_blocks_of_large_packed_weights) {
    for (const auto &[m, k, n, type, dst_type] : {std::tuple(40, 2110, 520, dnnl_bf16, dnnl_f32),
                 {70, 1090, 1000, dnnl_bf16, dnnl_bf16}, {33, 4201, 520, dnnl_u8, dnnl_s32}})
        expect_right_by_tiles(of_type(
                {.src = {m, k}, .weights = {k, n}, .weights_format = "any"}, type, dst_type));
}

/// If rows of A do not stay in the second-level cache, all panels are multiplied by a block of K
/// before the next one.
TEST_F(matmul_amx, multiplies_long_rows_by_blocks_of_k_that_are_outside_those_of_panels) {
    for (const auto type : {dnnl_bf16, dnnl_u8}) {
        const dnnl_dim_t k = type == dnnl_bf16 ? 12010 : 24021;
        problem_t p =
                of_type({.src = {45, k}, .weights = {k, 91}, .weights_format = "any"}, type, type);
        if (type == dnnl_u8)
            p.src_zero_point = quantity_t{0, dnnl_s32};
        else
            p.bias = {1, 91};
        expect_right_by_tiles(p);
        EXPECT_TRUE(is_by_amx(p)) << plan_of(p);
    }
}

/// Calls have as many rows as each other: the last one repeats rows of the one before, unless they
/// are many or results depend on what dst holds. K is a part of a step of AMX, or steps and a part.
TEST_F(matmul_amx, multiplies_rows_that_calls_of_one_size_do_not_divide) {
    for (const dnnl_dim_t m : {33, 39, 50, 65, 77, 101})
        for (const dnnl_dim_t k : {40, 150})
            for (const auto type : {dnnl_bf16, dnnl_s8})
                for (const auto dst_type : {dnnl_f32, type})
                    for (const bool reads_dst : {false, true}) {
                        problem_t p = of_type({.src = {m, k}, .weights = {k, 45}}, type, dst_type);
                        if (reads_dst)
                            p.post_ops = {{.alg = dnnl_binary_add,
                                    .mask = 3,
                                    .type = dst_type,
                                    .format = "ab"}};
                        p.dst_is_operand = reads_dst;
                        expect_right_by_tiles(p);
                    }
}

/// Rows whose last elements are copied share a block of B and the sums of its columns.
TEST_F(matmul_amx, multiplies_rows_of_which_a_part_is_copied_by_one_block) {
    for (const auto type : {dnnl_bf16, dnnl_s8})
        for (const char *format : {"ab", "any"})
            for (const bool has_zero_point : {false, true}) {
                problem_t p = of_type({.src = {200, 77},
                                              .weights = {77, 90},
                                              .src_format = "ab+3",
                                              .weights_format = format},
                        type, dnnl_f32);
                if (has_zero_point && type == dnnl_s8) p.src_zero_point = quantity_t{0, dnnl_s32};
                if (has_zero_point) p.src_scale = quantity_t{0};
                expect_right_by_tiles(p);
            }
}

/// Calls for the matrices of a batch differ in addresses: one call for each, or several whose last
/// rows are finished by the next one.
TEST_F(matmul_amx, multiplies_alike_matrices) {
    for (const auto &[m, k, n] : {std::tuple(16, 64, 32), {77, 40, 100}, {50, 33, 130}})
        for (const auto type : {dnnl_bf16, dnnl_s8, dnnl_f16})
            for (const auto dst_type : {dnnl_f32, type})
                for (const char *format : {"abc", "any"})
                    for (const bool has_epilogue : {false, true}) {
                        problem_t p = of_type(
                                {.src = {3, m, k}, .weights = {3, k, n}, .weights_format = format},
                                type, dst_type);
                        if (has_epilogue) {
                            p.bias = {1, 1, n};
                            p.post_ops = {{.alg = dnnl_binary_add, .mask = 7, .format = "abc"},
                                    {.alg = dnnl_binary_mul, .mask = 3}};
                        }
                        expect_right_by_tiles(p);
                    }
}

/// f16, and f32 that may be rounded to tf32, are sums of two of bf16 for AMX.
TEST_F(matmul_amx, multiplies_elements_as_sums_of_two_terms) {
    const auto of_size = [](dnnl_dim_t m, dnnl_dim_t k, dnnl_dim_t n, dnnl_data_type_t type,
                                 const char *format) {
        problem_t p =
                of_type({.src = {m, k}, .weights = {k, n}, .weights_format = format}, type, type);
        if (type == dnnl_f32) p.fpmath = dnnl_fpmath_mode_tf32;
        return p;
    };
    for (const auto type : {dnnl_f16, dnnl_f32})
        for (const char *format : matrix_formats) {
            for (const auto &[m, k, n] :
                    {std::tuple(64, 130, 190), {48, 1100, 100}, {129, 40, 70}, {70, 17, 300}}) {
                problem_t p = of_size(m, k, n, type, format);
                expect_right_by_tiles(p);
                if (k > 100) {
                    EXPECT_TRUE(is_split(p)) << plan_of(p);
                }
                p.dst_type = dnnl_f32;
                p.bias = {1, n};
                p.post_ops = {{.alg = dnnl_eltwise_relu}};
                expect_right_by_tiles(p);
                p.src_format = "ba";
                expect_right_by_tiles(p);
            }
            EXPECT_FALSE(is_split(of_size(8, 256, 256, type, format)));
        }
    expect_right_by_tiles({.src = {5, 100, 64},
            .weights = {5, 64, 100},
            .src_type = dnnl_f16,
            .weights_type = dnnl_f16});
    for (const auto &[src, weights] : {std::pair(dnnl_f16, dnnl_bf16), {dnnl_bf16, dnnl_f16},
                 {dnnl_f16, dnnl_s8}, {dnnl_f16, dnnl_u8}})
        for (const char *format : {"ab", "ba"}) {
            problem_t p = of_size(70, 150, 90, src, format);
            p.weights_type = weights;
            p.decompresses = is_integer(weights);
            expect_right_by_tiles(p);
            EXPECT_TRUE(is_split(p)) << plan_of(p);
        }
    problem_t strict = of_size(64, 256, 256, dnnl_f32, "ab");
    strict.fpmath = dnnl_fpmath_mode_strict;
    EXPECT_FALSE(is_split(strict));
    for (const char *format : matrix_formats) {
        const problem_t p = of_size(200, 1500, 130, dnnl_f16, format);
        expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
    }
}

/// Infinities and NaN give what they give by vectors.
TEST_F(matmul_amx, multiplies_infinite_sums_of_two_terms) {
    for (const double first : {HUGE_VAL, -HUGE_VAL, std::nan(""), 65504.0})
        for (const char *format : matrix_formats) {
            problem_t p =
                    of_type({.src = {64, 160}, .weights = {160, 70}, .weights_format = format},
                            dnnl_f16, dnnl_f32);
            p.first_src = first;
            expect_right_by_tiles(p);
            EXPECT_TRUE(is_split(p)) << plan_of(p);
        }
}

/// Scalar products take more cycles, unless columns are two or rows few.
TEST_F(matmul_amx, multiplies_few_columns_of_many_rows) {
    const auto of_size = [](dnnl_dim_t m, dnnl_dim_t n, dnnl_data_type_t type) {
        return of_type({.src = {m, 300}, .weights = {300, n}}, type, dnnl_f32);
    };
    for (const auto type : {dnnl_bf16, dnnl_s8})
        for (const dnnl_dim_t n : {2, 3, 10, 15})
            for (const dnnl_dim_t m : {8, 64, 200}) expect_right_by_tiles(of_size(m, n, type));
    for (const auto type : {dnnl_bf16, dnnl_s8}) {
        EXPECT_TRUE(is_by_amx(of_size(200, 10, type)));
        EXPECT_FALSE(is_by_amx(of_size(8, 2, type)));
    }
}

} // namespace
} // namespace kiln::test::matmul
