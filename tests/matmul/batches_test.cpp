// SPDX-License-Identifier: Apache-2.0
// Batches of matrices that are multiplied by tiles.
#include "matmul/tiles.hpp"

namespace kiln::test::matmul {
namespace {

TEST(matmul_tiles, take_matrices_that_share_weights_as_one) {
    for (const dnnl_dim_t batch : {1, 3, 8})
        for (const dims_t &bias : {dims_t{}, dims_t{1, 1, 33}, dims_t{1, 7, 33}})
            expect_right_by_tiles({.src = {batch, 7, 20}, .weights = {1, 20, 33}, .bias = bias});
}

TEST(matmul_tiles, multiply_batches_whose_matrices_are_alike) {
    struct types_t {
        dnnl_data_type_t src, weights, dst;
    };
    for (const auto &[src, weights, dst] :
            {types_t{dnnl_f32, dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16, dnnl_f32},
                    {dnnl_u8, dnnl_s8, dnnl_s32}, {dnnl_s8, dnnl_s8, dnnl_s8}})
        for (const dims_t &batch : {dims_t{4, 3}, dims_t{1, 3}, dims_t{4, 1}})
            for (const char *src_format : {"abcd", "abdc", "acbd"})
                for (const char *weights_format : {"abcd", "abdc", "any"})
                    for (const dims_t &bias : {dims_t{}, dims_t{4, 3, 1, 21}, dims_t{1, 3, 17, 1}})
                        for (const bool has_zero_point : {false, true}) {
                            problem_t p{.src = {4, 3, 17, 10},
                                    .weights = {batch[0], batch[1], 10, 21},
                                    .bias = bias,
                                    .src_type = src,
                                    .weights_type = weights,
                                    .dst_type = dst,
                                    .src_format = src_format,
                                    .weights_format = weights_format};
                            if (has_zero_point && src != dnnl_u8 && src != dnnl_s8) continue;
                            if (has_zero_point) p.src_zero_point = quantity_t{0, dnnl_s32};
                            expect_right_by_kernels(p);
                        }
}

/// As quantized scores and contexts of attention. Calls by AMX and by vectors are kept from matrix
/// to matrix, with the sums that zero points are multiplied by.
TEST(matmul_tiles, multiply_alike_batches_with_zero_points) {
    for (const auto &[src, weights] : {std::pair(dnnl_u8, dnnl_s8), {dnnl_s8, dnnl_u8},
                 {dnnl_u8, dnnl_u8}, {dnnl_s8, dnnl_s8}})
        for (const dnnl_dim_t m : {4, 19, 40})
            for (const dnnl_dim_t k : {40, 62, 64})
                for (const char *format : {"abcd", "abdc", "any"})
                    for (const int points : {1, 2, 3}) {
                        problem_t p{.src = {2, 3, m, k},
                                .weights = {2, 3, k, 40},
                                .weights_format = format};
                        p.src_type = src;
                        p.weights_type = weights;
                        p.dst_type = m == 19 ? dnnl_s32 : dnnl_bf16;
                        if (points & 1) p.src_zero_point = quantity_t{0, dnnl_s32};
                        if (points & 2) p.weights_zero_point = quantity_t{0, dnnl_s32};
                        expect_right_by_tiles(p);
                    }
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
                        EXPECT_EQ(plan_of(p).find("matrices"), std::string::npos) << plan_of(p);
                    }
}

} // namespace
} // namespace kiln::test::matmul
