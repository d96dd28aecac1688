// SPDX-License-Identifier: Apache-2.0
// Quantization scales of src and dst, which integer data may have, and rounding to integers.
#include <cmath>

#include <gtest/gtest.h>

#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

struct types_t {
    dnnl_data_type_t src;
    dnnl_data_type_t dst;
};

// At least one of them is int8.
const std::vector<types_t> int8_types{{dnnl_s8, dnnl_f32}, {dnnl_u8, dnnl_bf16},
        {dnnl_s8, dnnl_f16}, {dnnl_f32, dnnl_s8}, {dnnl_bf16, dnnl_u8}, {dnnl_f16, dnnl_s8},
        {dnnl_s8, dnnl_s8}, {dnnl_u8, dnnl_u8}, {dnnl_s8, dnnl_u8}, {dnnl_f64, dnnl_s8},
        {dnnl_u8, dnnl_f64}};

problem_t quantized(const types_t &types) {
    problem_t problem;
    problem.dims = {5, 43};
    problem.flags = scale | shift;
    problem.src_type = types.src;
    problem.dst_type = types.dst;
    return problem;
}

TEST(layer_normalization_scales, multiply_after_the_shift_and_divide_at_the_end) {
    for (const auto &types : int8_types)
        for (const bool has_src : {false, true})
            for (const bool has_dst : {false, true})
                for (const unsigned flags :
                        {scale | shift, 0u, global_stats | shift, rms | scale}) {
                    auto problem = quantized(types);
                    problem.flags = flags;
                    if (has_src) problem.src_scale = scale_attr_t{0.4375};
                    if (has_dst) problem.dst_scale = scale_attr_t{1.75};
                    EXPECT_TRUE(is_forward_right(problem));
                }
}

TEST(layer_normalization_scales, may_be_bf16_or_f16_and_on_the_host) {
    for (const auto &types : int8_types)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const bool is_on_host : {false, true}) {
                auto problem = quantized(types);
                problem.src_scale = scale_attr_t{0.3, type, is_on_host};
                problem.dst_scale = scale_attr_t{1.9, type, is_on_host};
                EXPECT_TRUE(is_forward_right(problem));
            }
}

// One primitive serves any scale: it is read when the primitive runs.
TEST(layer_normalization_scales, belong_to_the_execution) {
    for (const bool is_on_host : {false, true}) {
        auto problem = quantized({dnnl_f32, dnnl_s8});
        problem.dst_scale = scale_attr_t{1, dnnl_f32, is_on_host};
        const forward_case_t other(problem);
        for (const double value : {0.5, 2.0, 8.0}) {
            problem.dst_scale->value = value;
            const forward_case_t forward(problem);
            ASSERT_EQ(forward.arguments().execute(other.primitive()), dnnl_success);
            EXPECT_TRUE(forward.is_right()) << to_string(problem);
        }
    }
}

TEST(layer_normalization_scales, stand_on_both_sides_of_post_ops) {
    for (const auto &types : int8_types) {
        auto problem = quantized(types);
        problem.src_scale = scale_attr_t{0.25};
        problem.dst_scale = scale_attr_t{0.5};
        problem.post_ops = {
                {.alg = dnnl_eltwise_relu, .alpha = 0.5f}, {.alg = dnnl_binary_add, .mask = 2}};
        EXPECT_TRUE(is_forward_right(problem));
    }
}

TEST(layer_normalization_scales, are_refused_without_integers) {
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64}) {
            problem_t problem;
            problem.dims = {3, 8};
            problem.src_type = problem.dst_type = type;
            (arg == DNNL_ARG_SRC ? problem.src_scale : problem.dst_scale) = scale_attr_t{0.5};
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                    << to_string(problem);
        }
}

TEST(layer_normalization_scales, are_refused_along_an_axis_in_groups_and_for_other_arguments) {
    const auto problem = quantized({dnnl_s8, dnnl_s8});
    const dims_t group{1, 1};
    const auto refused = [&](auto set) {
        const auto attr = test::make_attr();
        require(set(attr), "setting a scale");
        primitive_desc_handle_t primitive_desc;
        EXPECT_EQ(make_primitive_desc(primitive_desc, problem, attr), dnnl_unimplemented);
    };
    for (const int mask : {1, 2, 3})
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST})
            refused([&](dnnl_primitive_attr_t attr) {
                return dnnl_primitive_attr_set_scales_mask(attr, arg, mask);
            });
    for (const int arg : {DNNL_ARG_WEIGHTS, DNNL_ARG_SRC_1})
        refused([&](dnnl_primitive_attr_t attr) {
            return dnnl_primitive_attr_set_scales_mask(attr, arg, 0);
        });
    refused([&](dnnl_primitive_attr_t attr) {
        return dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, group.data(), dnnl_f32);
    });
}

/// One element a row, with the statistics given: dst = (src - mean) / 1 exactly.
std::vector<double> stored(dnnl_data_type_t type, const std::vector<double> &values) {
    problem_t problem;
    problem.dims = {static_cast<dnnl_dim_t>(values.size()), 1};
    problem.flags = global_stats;
    problem.epsilon = 0;
    problem.dst_type = type;
    forward_case_t forward(problem);
    forward.set_src(values);
    forward.set_stats(std::vector<double>(values.size(), 0), std::vector<double>(values.size(), 1));
    EXPECT_EQ(forward.execute(), dnnl_success);
    return forward.tensor(DNNL_ARG_DST).values();
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(layer_normalization_scales, rounding_to_integers_ties_to_even_and_saturates) {
    const std::vector<double> values{-infinity, -1e30, -129, -128.5, -128, -127.5, -2.5, -1.5,
            -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1.5, 2.5, 126.5, 127, 127.5, 128, 254.5, 255,
            255.5, 256, 1e10, 3e38, infinity};
    const std::vector<double> s8{-128, -128, -128, -128, -128, -128, -2, -2, -1, -0.0, -0.0, 0, 0,
            0, 1, 2, 2, 126, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127};
    const std::vector<double> u8{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 126, 127, 128,
            128, 254, 255, 255, 255, 255, 255, 255};
    EXPECT_EQ(stored(dnnl_s8, values), s8);
    EXPECT_EQ(stored(dnnl_u8, values), u8);
}

TEST(layer_normalization_scales, rounding_to_narrow_floats_ties_to_even_and_overflows) {
    const double bf16_step = std::ldexp(1, -7);
    const double f16_step = std::ldexp(1, -10);
    EXPECT_EQ(stored(dnnl_bf16, {1 + bf16_step / 2, 1 + 3 * bf16_step / 2, -1 - bf16_step / 2,
                                        3.4e38, infinity}),
            (std::vector<double>{1, 1 + 2 * bf16_step, -1, infinity, infinity}));
    EXPECT_EQ(
            stored(dnnl_f16, {1 + f16_step / 2, 1 + 3 * f16_step / 2, 65519, 65520, -65520,
                                     std::ldexp(1, -24), std::ldexp(1, -25), std::ldexp(1.5, -25)}),
            (std::vector<double>{1, 1 + 2 * f16_step, 65504, infinity, -infinity,
                    std::ldexp(1, -24), 0, std::ldexp(1, -24)}));
}

} // namespace

} // namespace kiln::test::layer_normalization
