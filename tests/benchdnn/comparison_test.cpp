// SPDX-License-Identifier: Apache-2.0
// Which values the comparison accepts, and when a result is mistrusted.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "common/tensor/comparison.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool accepts(dnnl_data_type_t type, estimate_t expected, double got) {
    comparison_t comparison("x", type, {1});
    comparison.check(0, expected, got);
    return comparison.errors() == 0;
}

TEST(comparison, takes_what_lies_within_the_tolerance) {
    EXPECT_TRUE(accepts(dnnl_f32, {1, 0.25}, 1.25));
    EXPECT_TRUE(accepts(dnnl_f32, {1, 0.25}, 0.75));
    EXPECT_FALSE(accepts(dnnl_f32, {1, 0.25}, 1.2500001));
    EXPECT_FALSE(accepts(dnnl_f32, {1, 0.25}, -1));
}

TEST(comparison, allows_for_the_rounding_to_the_type_and_no_more) {
    const double third = 1. / 3, spacing = 0x1p-9; // of bf16 about a third
    const double nearest = rounded_to(dnnl_bf16, third);
    EXPECT_TRUE(accepts(dnnl_bf16, {third, 0}, nearest));
    EXPECT_FALSE(accepts(dnnl_bf16, {third, 0}, nearest + spacing));
    EXPECT_FALSE(accepts(dnnl_bf16, {third, 0}, nearest - spacing));
    // Half way between two values, a tolerance decides.
    EXPECT_TRUE(accepts(dnnl_bf16, {1 + 0x1p-8, 1e-6}, 1));
    EXPECT_TRUE(accepts(dnnl_bf16, {1 + 0x1p-8, 1e-6}, 1 + 0x1p-7));
}

TEST(comparison, knows_that_integers_saturate) {
    EXPECT_TRUE(accepts(dnnl_s8, {1000, 1}, 127));
    EXPECT_TRUE(accepts(dnnl_u8, {-3, 0.1}, 0));
    EXPECT_FALSE(accepts(dnnl_s8, {1000, 1}, -24)); // wrapped around
    EXPECT_FALSE(accepts(dnnl_s8, {2.4, 0.01}, 3));
    EXPECT_TRUE(accepts(dnnl_s8, {2.49, 0.02}, 3));
}

TEST(comparison, knows_that_small_floats_overflow) {
    EXPECT_TRUE(accepts(dnnl_f16, {70000, 1}, infinity));
    EXPECT_FALSE(accepts(dnnl_f16, {70000, 1}, 65504));
    EXPECT_TRUE(accepts(dnnl_f16, {65519, 2}, 65504));  // the edge is 65520
    EXPECT_TRUE(accepts(dnnl_f8_e4m3, {1000, 1}, nan)); // has no infinity
}

TEST(comparison, takes_nan_only_where_nan_is_expected) {
    EXPECT_FALSE(accepts(dnnl_f32, {1, 100}, nan));
    EXPECT_FALSE(accepts(dnnl_f32, {nan, 0}, 1));
    EXPECT_TRUE(accepts(dnnl_f32, {nan, 0}, nan));
    EXPECT_TRUE(accepts(dnnl_s8, {nan, 0}, 0));
}

TEST(comparison, counts_and_names_the_first_errors) {
    comparison_t comparison("dst", dnnl_f32, {2, 3});
    for (dim_t i = 0; i < 6; ++i)
        comparison.check(i, {static_cast<double>(i), 0}, i == 4 ? 9. : static_cast<double>(i));
    EXPECT_EQ(comparison.total(), 6);
    EXPECT_EQ(comparison.errors(), 1);
    EXPECT_EQ(comparison.verdict(), verdict_t::failed);
    const std::vector<std::string> report = comparison.report();
    ASSERT_EQ(report.size(), 2u);
    EXPECT_NE(report[1].find("[dst][1:1] exp:4 got:9"), std::string::npos) << report[1];
}

TEST(comparison, mistrusts_zeros_and_one_value_everywhere) {
    comparison_t zeros("x", dnnl_f32, {100}), same("x", dnnl_s8, {100}),
            mixed("x", dnnl_f32, {100});
    for (dim_t i = 0; i < 100; ++i) {
        zeros.check(i, {0, 0}, 0);
        same.check(i, {300, 1}, 127);
        mixed.check(i, {static_cast<double>(i % 5), 0}, static_cast<double>(i % 5));
    }
    EXPECT_EQ(zeros.verdict(), verdict_t::mistrusted);
    EXPECT_EQ(same.verdict(), verdict_t::mistrusted);
    EXPECT_EQ(mixed.verdict(), verdict_t::passed);
    zeros.expect_constant();
    EXPECT_EQ(zeros.verdict(), verdict_t::passed);
}

TEST(comparison, mistrusts_a_reference_that_bounds_nothing) {
    comparison_t comparison("x", dnnl_f32, {100});
    for (dim_t i = 0; i < 100; ++i)
        comparison.check(i, {1. * i, i < 95 ? infinity : 0}, static_cast<double>(i));
    EXPECT_EQ(comparison.verdict(), verdict_t::mistrusted);
}

TEST(comparison, merges_shares) {
    comparison_t first("x", dnnl_f32, {40}), second("x", dnnl_f32, {40});
    for (dim_t i = 0; i < 20; ++i) first.check(i, {1, 0}, 1);
    for (dim_t i = 20; i < 40; ++i) second.check(i, {1, 0}, i == 30 ? 2 : 1);
    first.merge(second);
    EXPECT_EQ(first.total(), 40);
    EXPECT_EQ(first.errors(), 1);
    EXPECT_EQ(first.verdict(), verdict_t::failed);
}

TEST(running_sum, allows_for_any_order_but_not_for_a_missing_term) {
    // A float sum of terms that cancel is within the tolerance in two orders; without one term it
    // is not.
    running_sum_t sum;
    std::vector<float> terms;
    for (int i = 0; i < 10000; ++i) {
        terms.push_back(std::sin(1.7f * static_cast<float>(i)));
        sum.add(terms.back());
    }
    float forward = 0, backward = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
        forward += terms[i];
        backward += terms[terms.size() - 1 - i];
    }
    EXPECT_LE(std::fabs(forward - sum.sum()), sum.tolerance());
    EXPECT_LE(std::fabs(backward - sum.sum()), sum.tolerance());
    EXPECT_LT(sum.tolerance(), 0.01);
}

TEST(running_sum, allows_for_equal_terms_rounded_the_same_way) {
    const float third = 1.f / 3;
    running_sum_t exact(1);
    float sum = 0;
    for (int i = 0; i < 5000; ++i) {
        exact.add(third);
        sum += third;
    }
    EXPECT_LE(std::fabs(sum - exact.sum()), exact.tolerance());
}

TEST(mapped, sends_the_uncertainty_through_the_function) {
    const auto step = [](double x) { return x > 1 ? 10. : 0.; };
    EXPECT_DOUBLE_EQ(mapped({1.01, 0.1}, step, 0).tolerance, 10);
    EXPECT_DOUBLE_EQ(mapped({2, 0.1}, step, 0).tolerance, 0);
    const auto root = [](double x) { return std::sqrt(x); };
    EXPECT_TRUE(std::isinf(mapped({1e-9, 1e-8}, root, 0).tolerance));
    EXPECT_TRUE(std::isnan(mapped({-1, 1e-8}, root, 0).value));
}

} // namespace

} // namespace benchdnn
