// SPDX-License-Identifier: Apache-2.0
// Weights of every type in layouts and with groups of scales that kernels convert, or do not.
#include "matmul/tiles.hpp"

namespace kiln::test::matmul {
namespace {

/// Groups of elements that are, or are not, a multiple of what a lane of packed weights has.
TEST(matmul_packed_weights, take_scales_of_groups_of_any_length) {
    for (const auto weights : {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_u4})
        for (const auto src : {dnnl_f32, dnnl_bf16})
            for (const dnnl_dim_t group : {6, 10, 12, 20})
                for (const auto mode : {dnnl_fpmath_mode_strict, dnnl_fpmath_mode_bf16})
                    for (const char *format : {"ab", "any"})
                        for (const dnnl_dim_t m : {3, 15, 40}) {
                            problem_t p = of_type({.src = {m, 120},
                                                          .weights = {120, 37},
                                                          .weights_format = format},
                                    src, dnnl_f32);
                            p.weights_type = weights;
                            p.decompresses = true;
                            p.fpmath = mode;
                            p.weights_scale = quantity_t{3, dnnl_f32, {group, 1}};
                            expect_right(p);
                        }
}

/// Layouts in which weights of other types are packed, too.
TEST(matmul_packed_weights, take_weights_in_any_packed_layout) {
    for (const char *format : {"BA16a32b2a", "BA16a32b4a", "BA16a64b2a", "BA16a64b4a"})
        for (const auto weights : {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u4})
            for (const auto src : {dnnl_f32, dnnl_bf16})
                for (const auto mode : {dnnl_fpmath_mode_strict, dnnl_fpmath_mode_bf16})
                    for (const dnnl_dim_t m : {3, 15, 40}) {
                        problem_t p = of_type(
                                {.src = {m, 66}, .weights = {66, 37}, .weights_format = format},
                                src, dnnl_f32);
                        p.weights_type = weights;
                        p.decompresses = true;
                        p.fpmath = mode;
                        expect_right(p);
                    }
}

} // namespace
} // namespace kiln::test::matmul
