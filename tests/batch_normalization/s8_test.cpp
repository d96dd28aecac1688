// SPDX-License-Identifier: Apache-2.0
// Batch normalization of s8: rounded to nearest even and saturated.
#include <algorithm>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

problem_t of_s8(unsigned flags, const std::string &format) {
    problem_t problem;
    problem.operation = operation_t::batch;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {2, 19, 3, 4};
    problem.flags = global_stats | flags;
    problem.set_types(dnnl_s8);
    problem.set_formats(format);
    return problem;
}

constexpr const char *formats[]{"abcd", "acdb", "aBcd16b", "aBcd8b"};

TEST(batch_normalization_s8, is_rounded_and_saturated) {
    for (const auto *format : formats)
        for (const unsigned flags : {0u, scale, shift, scale | shift | relu, add_relu})
            for (const bool in_place : {false, true}) {
                auto problem = of_s8(flags, format);
                if (in_place) problem.set_in_place();
                EXPECT_TRUE(is_right(problem));
            }
}

// variance + epsilon = 1, so that dst = src + shift: halves show how they are rounded.
TEST(batch_normalization_s8, halves_go_to_the_even_number) {
    for (const auto *format : formats) {
        auto problem = of_s8(shift, format);
        problem.epsilon = std::numeric_limits<float>::min();
        for_each_case(problem, [&](case_t &forward) {
            forward.refill(DNNL_ARG_MEAN, std::vector<double>(19, 0));
            forward.refill(DNNL_ARG_VARIANCE, std::vector<double>(19, 1));
            forward.refill(DNNL_ARG_SHIFT, std::vector<double>(19, 0.5));
            std::vector<double> src, want;
            for (int64_t i = 0; i < volume(problem.dims); ++i) {
                const double value = static_cast<double>(i % 256 - 128);
                src.push_back(value);
                const double up = i % 2 ? value + 1 : value;
                want.push_back(up > 127 ? 127 : up);
            }
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_EQ(forward.tensor(DNNL_ARG_DST).values(), want) << format;
        });
    }
}

// Greater coefficients take the form of the computation that rounds x - mean alone: x = mean gives
// the shift, however great the factor is, and what exceeds the range saturates.
TEST(batch_normalization_s8, great_coefficients_keep_the_shift_and_saturate) {
    for (const auto *format : formats)
        for (const double factor : {16., 1000., 1e6, 1e20}) {
            auto problem = of_s8(scale | shift, format);
            problem.epsilon = std::numeric_limits<float>::min();
            for_each_case(problem, [&](case_t &forward) {
                forward.refill(DNNL_ARG_MEAN, std::vector<double>(19, 77));
                forward.refill(DNNL_ARG_VARIANCE, std::vector<double>(19, 1));
                forward.refill(DNNL_ARG_SCALE, std::vector<double>(19, factor));
                forward.refill(DNNL_ARG_SHIFT, std::vector<double>(19, 3));
                std::vector<double> src, want;
                for (int64_t i = 0; i < volume(problem.dims); ++i) {
                    const double value = static_cast<double>(i % 256 - 128);
                    src.push_back(value);
                    want.push_back(std::clamp((value - 77) * factor + 3, -128., 127.));
                }
                forward.set_src(src);
                ASSERT_EQ(forward.execute(), dnnl_success);
                EXPECT_EQ(forward.tensor(DNNL_ARG_DST).values(), want) << format << factor;
            });
        }
}

// One channel's coefficient is not finite; the others are as usual.
TEST(batch_normalization_s8, coefficients_that_are_not_finite_give_0_or_the_limits) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr int64_t channel = 7, channels = 19, area = 12;
    for (const auto *format : formats)
        for (const auto &[value, want] :
                {std::pair(nan, 0.), {infinity, 127.}, {-infinity, -128.}}) {
            auto problem = of_s8(shift, format);
            problem.epsilon = std::numeric_limits<float>::min();
            for_each_case(problem, [&](case_t &forward) {
                std::vector<double> shifts(channels, 1);
                shifts[channel] = value;
                forward.refill(DNNL_ARG_MEAN, std::vector<double>(channels, 0));
                forward.refill(DNNL_ARG_VARIANCE, std::vector<double>(channels, 1));
                forward.refill(DNNL_ARG_SHIFT, shifts);
                forward.set_src(std::vector<double>(static_cast<size_t>(volume(problem.dims)), 5));
                ASSERT_EQ(forward.execute(), dnnl_success);
                const auto got = forward.tensor(DNNL_ARG_DST).values();
                for (size_t i = 0; i < got.size(); ++i)
                    ASSERT_EQ(got[i], i / area % channels == channel ? want : 6) << format << i;
            });
        }
}

} // namespace

} // namespace kiln::test::normalization
