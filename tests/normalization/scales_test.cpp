// SPDX-License-Identifier: Apache-2.0
// Quantization scales of src and dst, and rounding to integers and narrow floats.
#include <cmath>
#include <limits>

#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct types_t {
    dnnl_data_type_t src;
    dnnl_data_type_t dst;
};

// At least one of them is int8.
const std::vector<types_t> int8_types{{dnnl_s8, dnnl_f32}, {dnnl_u8, dnnl_bf16},
        {dnnl_s8, dnnl_f16}, {dnnl_f32, dnnl_s8}, {dnnl_bf16, dnnl_u8}, {dnnl_f16, dnnl_s8},
        {dnnl_s8, dnnl_s8}, {dnnl_u8, dnnl_u8}, {dnnl_s8, dnnl_u8}, {dnnl_f64, dnnl_s8},
        {dnnl_u8, dnnl_f64}};

/// Batch normalization takes no scales.
class normalization_scales : public operation_test_t {
protected:
    static std::vector<problem_t> quantized(const types_t &types) {
        auto problems = problems_of({{5, 43}}, {{2, 21, 5, 7}}, {7});
        for (auto &problem : problems) {
            problem.flags = scale | shift;
            problem.src_type = types.src;
            problem.dst_type = types.dst;
        }
        return problems;
    }

    /// The values as they are stored in a dst of this type: with a mean of 0 and a variance of 1
    /// dst is src.
    static std::vector<double> stored(dnnl_data_type_t type, const std::vector<double> &values) {
        const auto size = static_cast<dnnl_dim_t>(values.size());
        auto problem = problem_of(is_layer() ? dims_t{size, 1} : dims_t{1, 2, size}, global_stats);
        problem.epsilon = std::numeric_limits<float>::min();
        problem.dst_type = type;
        case_t forward(problem);
        std::vector<double> src = values;
        if (!is_layer()) src.insert(src.end(), values.begin(), values.end());
        const auto sets = static_cast<size_t>(problem.sets());
        forward.set_src(src);
        forward.refill(DNNL_ARG_MEAN, std::vector<double>(sets, 0));
        forward.refill(DNNL_ARG_VARIANCE, std::vector<double>(sets, 1));
        EXPECT_EQ(forward.execute(), dnnl_success);
        auto dst = forward.tensor(DNNL_ARG_DST).values();
        dst.resize(values.size());
        return dst;
    }
};

TEST_P(normalization_scales, multiply_after_the_shift_and_divide_at_the_end) {
    std::vector<unsigned> flags{scale | shift, 0u, global_stats | shift};
    if (is_layer()) flags.push_back(rms | scale);
    for (const auto &types : int8_types)
        for (auto &problem : quantized(types))
            for (const bool has_src : {false, true})
                for (const bool has_dst : {false, true})
                    for (const unsigned bits : flags) {
                        problem.flags = bits;
                        problem.src_scale.reset();
                        problem.dst_scale.reset();
                        if (has_src) problem.src_scale = scale_attr_t{0.4375};
                        if (has_dst) problem.dst_scale = scale_attr_t{1.75};
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST_P(normalization_scales, may_be_bf16_or_f16_and_on_the_host) {
    for (const auto &types : int8_types)
        for (auto &problem : quantized(types))
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
                for (const bool is_on_host : {false, true}) {
                    problem.src_scale = scale_attr_t{0.3, type, is_on_host};
                    problem.dst_scale = scale_attr_t{1.9, type, is_on_host};
                    EXPECT_TRUE(is_right(problem));
                }
}

// One primitive serves any scale: it is read when the primitive runs.
TEST_P(normalization_scales, belong_to_the_execution) {
    for (auto &problem : quantized({dnnl_f32, dnnl_s8}))
        for (const bool is_on_host : {false, true}) {
            problem.dst_scale = scale_attr_t{1, dnnl_f32, is_on_host};
            const case_t other(problem);
            for (const double value : {0.5, 2.0, 8.0}) {
                problem.dst_scale->value = value;
                const case_t forward(problem);
                ASSERT_EQ(forward.arguments().execute(other.primitive()), dnnl_success);
                EXPECT_TRUE(forward.is_right());
            }
        }
}

TEST_P(normalization_scales, stand_on_both_sides_of_post_ops) {
    for (const auto &types : int8_types)
        for (auto &problem : quantized(types)) {
            problem.src_scale = scale_attr_t{0.4375};
            problem.dst_scale = scale_attr_t{1.75};
            problem.post_ops = {{.alg = dnnl_eltwise_relu, .alpha = 0.5f},
                    {.alg = dnnl_eltwise_linear, .alpha = 0.5f, .beta = 3},
                    {.alg = dnnl_binary_add, .mask = 2}};
            EXPECT_TRUE(is_right(problem));
        }
}

TEST_P(normalization_scales, are_refused_without_integers) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64})
        for (const bool is_src : {false, true}) {
            auto problem = quantized({type, type}).front();
            (is_src ? problem.src_scale : problem.dst_scale) = scale_attr_t{0.5};
            EXPECT_EQ(creation_status(problem), dnnl_unimplemented) << to_string(problem);
        }
}

TEST_P(normalization_scales, are_refused_along_an_axis_in_groups_and_for_other_arguments) {
    const auto problem = quantized({dnnl_s8, dnnl_s8}).front();
    const dims_t group(problem.dims.size(), 1);
    const auto refused = [&](auto set) {
        const auto attr = test::make_attr();
        require(set(attr), "setting a scale");
        primitive_desc_handle_t primitive_desc;
        EXPECT_EQ(make_primitive_desc(
                          primitive_desc, problem, static_cast<const_dnnl_primitive_attr_t>(attr)),
                dnnl_unimplemented);
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

TEST_P(normalization_scales, rounding_to_integers_ties_to_even_and_saturates) {
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

TEST_P(normalization_scales, rounding_to_narrow_floats_ties_to_even_and_overflows) {
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

// A float result is NaN where the value is; an integer has one value for it, whatever the set.
TEST_P(normalization_scales, nan_becomes_one_value_among_integers) {
    for (const auto type : {dnnl_s8, dnnl_u8})
        for (auto &problem : quantized({dnnl_f32, type}))
            for_each_case(problem, [&](case_t &forward) {
                auto src = forward.tensor(DNNL_ARG_SRC).values();
                const size_t poisoned = 50;
                src[poisoned] = nan;
                forward.set_src(src);
                ASSERT_EQ(forward.execute(), dnnl_success);
                const auto dst = forward.tensor(DNNL_ARG_DST).values();
                for (size_t at = 0; at < dst.size(); ++at)
                    if (problem.set_of(int64_t(at)) == problem.set_of(int64_t(poisoned))) {
                        EXPECT_EQ(dst[at], dst[poisoned]) << forward.name();
                    }
            });
}

INSTANTIATE_FOR_LAYER_AND_GROUP(normalization_scales);

} // namespace

} // namespace kiln::test::normalization
