// SPDX-License-Identifier: Apache-2.0
// Binary operations on pairs of values: ordinary ones, infinities and NaN.
#include "cpu/binary_scalar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

const std::vector<float> ordered{
        -infinity, -3.5f, -1, -1e-40f, 0, 1e-40f, 0.75f, 2, 1e30f, infinity};

TEST(binary_scalar, computes_as_the_exact_result_rounded_to_float) {
    for (const float x : {-3.0f, 0.1f, 7.25f, 1e20f, 1e-30f})
        for (const float y : {-7.0f, 0.3f, 1.5f, 1e19f, 3e-20f}) {
            const long double wide = x;
            EXPECT_EQ(binary(dnnl_binary_add, x, y), static_cast<float>(wide + y));
            EXPECT_EQ(binary(dnnl_binary_sub, x, y), static_cast<float>(wide - y));
            EXPECT_EQ(binary(dnnl_binary_mul, x, y), static_cast<float>(wide * y));
            EXPECT_EQ(binary(dnnl_binary_div, x, y), static_cast<float>(wide / y));
        }
    EXPECT_EQ(binary(dnnl_binary_div, 1.f, 0.f), infinity);
    EXPECT_TRUE(std::isnan(binary(dnnl_binary_div, 0.f, 0.f)));
    EXPECT_EQ(binary(dnnl_binary_mul, 1e30f, 1e30f), infinity);
}

TEST(binary_scalar, orders_values_by_their_place_on_the_line) {
    for (size_t i = 0; i < ordered.size(); ++i)
        for (size_t j = 0; j < ordered.size(); ++j) {
            const float x = ordered[i];
            const float y = ordered[j];
            EXPECT_EQ(binary(dnnl_binary_max, x, y), ordered[std::max(i, j)]);
            EXPECT_EQ(binary(dnnl_binary_min, x, y), ordered[std::min(i, j)]);
            EXPECT_EQ(binary(dnnl_binary_ge, x, y), i >= j ? 1.0f : 0.0f);
            EXPECT_EQ(binary(dnnl_binary_gt, x, y), i > j ? 1.0f : 0.0f);
            EXPECT_EQ(binary(dnnl_binary_le, x, y), i <= j ? 1.0f : 0.0f);
            EXPECT_EQ(binary(dnnl_binary_lt, x, y), i < j ? 1.0f : 0.0f);
            EXPECT_EQ(binary(dnnl_binary_eq, x, y), i == j ? 1.0f : 0.0f);
            EXPECT_EQ(binary(dnnl_binary_ne, x, y), i != j ? 1.0f : 0.0f);
        }
    EXPECT_EQ(binary(dnnl_binary_eq, 0.0f, -0.0f), 1);
}

TEST(binary_scalar, arithmetic_and_extremes_hand_nan_on_from_either_side) {
    for (const auto alg : {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_mul, dnnl_binary_div,
                 dnnl_binary_max, dnnl_binary_min})
        for (const float other : {-infinity, -1.0f, 0.0f, 2.0f, infinity, nan}) {
            EXPECT_TRUE(std::isnan(binary(alg, nan, other))) << alg << " " << other;
            EXPECT_TRUE(std::isnan(binary(alg, other, nan))) << alg << " " << other;
        }
}

TEST(binary_scalar, finds_nan_unequal_to_everything_and_in_no_order) {
    for (const auto alg :
            {dnnl_binary_ge, dnnl_binary_gt, dnnl_binary_le, dnnl_binary_lt, dnnl_binary_eq}) {
        EXPECT_EQ(binary(alg, nan, 1), 0) << alg;
        EXPECT_EQ(binary(alg, 1, nan), 0) << alg;
        EXPECT_EQ(binary(alg, nan, nan), 0) << alg;
    }
    EXPECT_EQ(binary(dnnl_binary_ne, nan, 1), 1);
    EXPECT_EQ(binary(dnnl_binary_ne, nan, nan), 1);
}

TEST(binary_scalar, selects_the_first_operand_where_the_condition_holds) {
    EXPECT_EQ(binary_select(2, 3, true), 2);
    EXPECT_EQ(binary_select(2, 3, false), 3);
    EXPECT_EQ(binary_select(nan, 3, false), 3);
    EXPECT_TRUE(std::isnan(binary_select(nan, 3, true)));
    EXPECT_TRUE(std::isnan(binary(dnnl_binary_select, 2.f, 3.f)));
}

TEST(binary_scalar, names_exactly_the_binary_algorithms) {
    for (int value = 0; value < 0x20100; ++value) {
        const bool expected = value >= dnnl_binary_add && value <= dnnl_binary_select;
        ASSERT_EQ(is_binary_alg(static_cast<dnnl_alg_kind_t>(value)), expected) << value;
    }
    EXPECT_TRUE(std::isnan(binary(dnnl_eltwise_relu, 2.f, 3.f)));
}

} // namespace

} // namespace kiln::test
