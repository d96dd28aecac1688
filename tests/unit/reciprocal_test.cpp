// SPDX-License-Identifier: Apache-2.0
// Quotients by the parts of a reciprocal, against division.
#include "cpu/x64/reciprocal.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "common/memory/data_type.hpp"

namespace kiln::x64::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float quotient(float x, const reciprocal_t &reciprocal) {
    return std::fma(x, reciprocal.high, x * reciprocal.low);
}

int64_t distance(float a, float b) {
    return std::abs(int64_t(std::bit_cast<int32_t>(a)) - int64_t(std::bit_cast<int32_t>(b)));
}

TEST(reciprocal, quotients_are_rounded_as_a_division_rounds_them) {
    constexpr int count = 1'000'000;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> mantissa(1, 2);
    std::uniform_int_distribution<int> power(-30, 30);
    int different = 0;
    for (int i = 0; i < count; ++i) {
        const float x = std::ldexp(mantissa(random), power(random));
        const float divisor =
                (i % 2 == 0 ? 1.f : -1.f) * std::ldexp(mantissa(random), power(random));
        const float expected = x / divisor, actual = quotient(x, reciprocal_t(divisor));
        if (actual == expected) continue;
        ++different;
        ASSERT_LE(distance(actual, expected), 1) << x << " / " << divisor;
    }
    EXPECT_LE(different, 2);
}

TEST(reciprocal, powers_of_two_divide_exactly) {
    for (int power = -100; power <= 100; power += 7)
        for (const float x : {1.f, 3.f, -0.1f, 16777215.f})
            EXPECT_EQ(quotient(x, reciprocal_t(std::ldexp(1.f, power))), std::ldexp(x, -power));
}

TEST(reciprocal, zeros_and_infinities_and_nan_are_those_of_a_division) {
    for (const float divisor : {0.5f, 0.3f, -7.f, 1.f}) {
        const reciprocal_t reciprocal(divisor);
        for (const float x : {0.f, -0.f, infinity, -infinity}) {
            EXPECT_EQ(quotient(x, reciprocal), x / divisor) << x << " / " << divisor;
            EXPECT_EQ(std::signbit(quotient(x, reciprocal)), std::signbit(x / divisor));
        }
        EXPECT_TRUE(std::isnan(quotient(nan, reciprocal)));
    }
    EXPECT_EQ(quotient(2, reciprocal_t(0.f)), infinity);
    EXPECT_EQ(quotient(2, reciprocal_t(infinity)), 0.f);
    EXPECT_TRUE(std::isnan(quotient(2, reciprocal_t(nan))));
}

TEST(reciprocal, is_of_an_element_in_memory) {
    const float wide = 0.375f;
    const bfloat16_t of_bf16(wide);
    const float16_t of_f16(wide);
    const reciprocal_t expected(wide);
    for (const auto &[divisor, type] : {std::pair<const void *, dnnl_data_type_t>(&wide, dnnl_f32),
                 {&of_bf16, dnnl_bf16}, {&of_f16, dnnl_f16}}) {
        const reciprocal_t actual(divisor, type);
        EXPECT_EQ(actual.high, expected.high);
        EXPECT_EQ(actual.low, expected.low);
    }
}

} // namespace
} // namespace kiln::x64::test
