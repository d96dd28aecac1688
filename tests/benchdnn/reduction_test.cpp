// SPDX-License-Identifier: Apache-2.0
// The reduction driver: its reference against values found by hand, its data, and corrupted results
// that it must notice.
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "command_lines.hpp"
#include "common/tensor/data_type.hpp"
#include "executed_problem.hpp"
#include "reduction/problem.hpp"
#include "reduction/values.hpp"

namespace benchdnn {

namespace {

using reduction::accumulator_t;
using reduction::formula_t;
using reduction::grouping_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

estimate_t reduced(const formula_t &formula, const std::vector<double> &terms,
        dnnl_data_type_t type = dnnl_data_type_undef) {
    accumulator_t result(formula);
    for (const double term : terms) result.add(term);
    return result.result(type);
}

TEST(reduction_reference, follows_the_formulas) {
    const std::vector<double> terms{3, -4, 0.5, 1};
    const auto value = [&](dnnl_alg_kind_t algorithm, double p = 2, double epsilon = 0) {
        return reduced({algorithm, p, epsilon}, terms).value;
    };
    EXPECT_EQ(value(dnnl_reduction_max), 3);
    EXPECT_EQ(value(dnnl_reduction_min), -4);
    EXPECT_EQ(value(dnnl_reduction_sum), 0.5);
    EXPECT_EQ(value(dnnl_reduction_mul), -6);
    EXPECT_EQ(value(dnnl_reduction_mean), 0.125);
    EXPECT_EQ(value(dnnl_reduction_norm_lp_power_p_sum, 1), 8.5);
    EXPECT_EQ(value(dnnl_reduction_norm_lp_power_p_sum, 2, 0.75), 27);
    EXPECT_EQ(value(dnnl_reduction_norm_lp_power_p_max, 2, 0.75), 26.25);
    EXPECT_EQ(value(dnnl_reduction_norm_lp_power_p_max, 2, 100), 100);
    EXPECT_NEAR(value(dnnl_reduction_norm_lp_sum, 2, 0.75), std::sqrt(27), 1e-14);
    EXPECT_NEAR(value(dnnl_reduction_norm_lp_max, 2, 100), 10, 1e-14);
    EXPECT_NEAR(value(dnnl_reduction_norm_lp_sum, 3), std::cbrt(27 + 64 + 0.125 + 1), 1e-14);
}

TEST(reduction_reference, no_terms_give_the_neutral_element) {
    EXPECT_EQ(reduced({dnnl_reduction_max}, {}).value, -infinity);
    EXPECT_EQ(reduced({dnnl_reduction_min}, {}).value, infinity);
    EXPECT_EQ(reduced({dnnl_reduction_sum}, {}).value, 0);
    EXPECT_EQ(reduced({dnnl_reduction_mul}, {}).value, 1);
    EXPECT_TRUE(std::isnan(reduced({dnnl_reduction_mean}, {}).value));
    EXPECT_EQ(reduced({dnnl_reduction_norm_lp_max, 2, 4}, {}).value, 2);
}

TEST(reduction_reference, a_nan_among_the_terms_is_the_result) {
    for (const dnnl_alg_kind_t algorithm :
            {dnnl_reduction_max, dnnl_reduction_min, dnnl_reduction_sum, dnnl_reduction_mul})
        EXPECT_TRUE(std::isnan(reduced({algorithm}, {1, nan, 2}).value)) << algorithm;
}

TEST(reduction_reference, is_exact_where_f32_is_exact_in_any_order) {
    EXPECT_EQ(reduced({dnnl_reduction_sum}, {3, 0.25, -7}).tolerance, 0);
    EXPECT_EQ(reduced({dnnl_reduction_sum}, std::vector<double>(1000, 17)).tolerance, 0);
    EXPECT_GT(reduced({dnnl_reduction_sum}, {16777216, 1}).tolerance, 0);
    EXPECT_EQ(reduced({dnnl_reduction_mean}, {3, 1, 7, 2}).tolerance, 0);
    EXPECT_GT(reduced({dnnl_reduction_mean}, {3, 1, 7}).tolerance, 0);
    EXPECT_EQ(reduced({dnnl_reduction_mul}, {2, -0.5, 3, 4}).tolerance, 0);
    EXPECT_GT(reduced({dnnl_reduction_mul}, {3, 5}).tolerance, 0);
    EXPECT_EQ(reduced({dnnl_reduction_max}, {0.1, 0.3}).tolerance, 0);
}

TEST(reduction_reference, allows_what_float_arithmetic_rounds_and_not_much_more) {
    const noise_t noise(3);
    for (const dnnl_alg_kind_t algorithm : {dnnl_reduction_sum, dnnl_reduction_mean,
                 dnnl_reduction_norm_lp_power_p_sum, dnnl_reduction_norm_lp_sum}) {
        std::vector<double> terms;
        float sum = 0;
        for (int i = 0; i < 10000; ++i) {
            const auto x = static_cast<float>(noise(i) + 0.3);
            terms.push_back(x);
            sum += algorithm >= dnnl_reduction_norm_lp_max ? x * x : x;
        }
        if (algorithm == dnnl_reduction_mean) sum /= 10000;
        if (algorithm == dnnl_reduction_norm_lp_sum) sum = std::sqrt(sum);
        const estimate_t expected = reduced({algorithm, 2, 0}, terms, dnnl_f32);
        EXPECT_LE(std::fabs(sum - expected.value), expected.tolerance) << algorithm;
        EXPECT_LE(expected.tolerance, 1e-4 * std::fabs(expected.value)) << algorithm;
        terms.pop_back();
        const estimate_t shorter = reduced({algorithm, 2, 0}, terms, dnnl_f32);
        if (algorithm == dnnl_reduction_mean) continue; // of fewer terms, it is another one
        EXPECT_GT(std::fabs(shorter.value - expected.value), expected.tolerance) << algorithm;
    }
}

TEST(reduction_reference, errors_of_terms_are_carried_along) {
    const auto tolerance = [](dnnl_alg_kind_t algorithm) {
        accumulator_t result({algorithm, 2, 0});
        result.add(estimate_t{3, 0.125});
        result.add(estimate_t{-2, 0.25});
        return result.result().tolerance;
    };
    EXPECT_NEAR(tolerance(dnnl_reduction_sum), 0.375, 1e-5);
    EXPECT_NEAR(tolerance(dnnl_reduction_mean), 0.1875, 1e-5);
    EXPECT_EQ(tolerance(dnnl_reduction_max), 0.25);
    EXPECT_NEAR(tolerance(dnnl_reduction_mul), 3 * 0.25 + 2 * 0.125 + 0.125 * 0.25, 1e-5);
    EXPECT_NEAR(tolerance(dnnl_reduction_norm_lp_power_p_sum),
            2 * 3 * 0.125 + 0.125 * 0.125 + 2 * 2 * 0.25 + 0.25 * 0.25, 1e-4);
}

TEST(reduction_grouping, places_and_rows_agree) {
    const grouping_t grouping({2, 3, 4, 5}, {2, 1, 4, 1});
    EXPECT_TRUE(grouping.reduces_last_axis());
    EXPECT_EQ(grouping.terms(), 15);
    EXPECT_EQ(grouping.term_rows(), 3);
    std::set<std::pair<dim_t, dim_t>> places;
    for (dim_t i = 0; i < 120; ++i) {
        const grouping_t::place_t place = grouping.place_of(i);
        places.insert({place.result, place.term});
        // Rows of dst have one element, so a row is a result.
        EXPECT_EQ(grouping.src_row(place.result, place.term / 5), i / 5) << i;
        EXPECT_EQ(place.term % 5, i % 5);
    }
    EXPECT_EQ(places.size(), 120u);
    EXPECT_EQ(places.rbegin()->first, 7);

    const grouping_t columns({3, 4, 5}, {1, 4, 5});
    EXPECT_FALSE(columns.reduces_last_axis());
    EXPECT_EQ(columns.place_of(2 * 20 + 3 * 5 + 4).result, 19);
    EXPECT_EQ(columns.place_of(2 * 20 + 3 * 5 + 4).term, 2);
    EXPECT_EQ(columns.src_row(3, 2), 2 * 4 + 3);
}

const dnnl_alg_kind_t algorithms[] = {dnnl_reduction_max, dnnl_reduction_min, dnnl_reduction_sum,
        dnnl_reduction_mul, dnnl_reduction_mean, dnnl_reduction_norm_lp_sum};

// Results that overflow or are all alike would prove nothing.
TEST(reduction_values, give_results_that_differ_within_the_range_of_dst) {
    for (const dnnl_alg_kind_t algorithm : algorithms)
        for (const dnnl_data_type_t src : {dnnl_f32, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8})
            for (const dnnl_data_type_t dst : {dnnl_f32, dnnl_f16, dnnl_s8, dnnl_u8})
                for (const dim_t terms : {1, 7, 100, 20000}) {
                    const formula_t formula{algorithm, 2, 0.5};
                    if (formula.is_norm() && is_integer_type(src)) continue;
                    const reduction::src_values_t values(formula, src, dst, terms, 5);
                    std::set<double> results;
                    int finite = 0;
                    for (dim_t k = 0; k < 40; ++k) {
                        accumulator_t result(formula);
                        for (dim_t i = 0; i < terms; ++i) result.add(rounded_to(src, values(k, i)));
                        const double value = rounded_to(dst, result.result(src).value);
                        results.insert(value);
                        finite += std::isfinite(value);
                    }
                    EXPECT_GE(finite, 36) << algorithm << " " << data_type_text(src) << " "
                                          << data_type_text(dst) << " " << terms;
                    EXPECT_GE(results.size(), 2u) << algorithm << " " << data_type_text(src) << " "
                                                  << data_type_text(dst) << " " << terms;
                }
}

// A kernel that leaves out one term: the result of one row without its first or last element.
TEST(missing_terms, of_a_reduction_are_noticed) {
    for (const std::string algorithm : {"sum", "mean", "norm_lp_power_p_sum"}) {
        executed_problem_t executed({"--reduction", "--alg=" + algorithm, "--p=2", "4x1000:4x1"});
        const tensor_t &src = executed.arguments.at(DNNL_ARG_SRC);
        tensor_t &dst = executed.arguments.at(DNNL_ARG_DST);
        for (const dim_t left_out : {0, 999}) {
            const double x = src.load(2000 + left_out), right = dst.load(2);
            const double term = algorithm == "sum" ? x : algorithm == "mean" ? x / 1000 : x * x;
            dst.store(2, right - term);
            EXPECT_EQ(executed.verdict(), verdict_t::failed) << algorithm << " " << left_out;
            dst.store(2, right);
        }
        EXPECT_EQ(executed.verdict(), verdict_t::passed);
    }
}

TEST(memory_of_a_reduction, padding_gaps_and_inputs_are_checked) {
    executed_problem_t executed({"--reduction", "--dtag=aBx8b", "3x5x7:3x5x1"});
    ASSERT_EQ(executed.arguments.damage(), "");
    executed.arguments.at(DNNL_ARG_SRC).data()[17] ^= 1;
    EXPECT_EQ(executed.arguments.damage(), "src: an input was written");
    executed.arguments.at(DNNL_ARG_SRC).data()[17] ^= 1;
    executed.arguments.at(DNNL_ARG_DST).data()[4 * 5] = 1;
    EXPECT_NE(executed.arguments.damage().find("padding at offset 5"), std::string::npos);
}

TEST(memory_of_a_reduction, a_sum_takes_what_dst_held) {
    executed_problem_t executed(
            {"--reduction", "--sdt=s8", "--ddt=s32", "--attr-post-ops=sum:2:3", "3x50:3x1"});
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    const tensor_t &prior = executed.arguments.original(DNNL_ARG_DST);
    for (dim_t row = 0; row < 3; ++row) {
        double sum = 2 * (prior.load(row) - 3);
        for (dim_t i = 0; i < 50; ++i)
            sum += executed.arguments.at(DNNL_ARG_SRC).load(50 * row + i);
        EXPECT_EQ(executed.arguments.at(DNNL_ARG_DST).load(row), sum) << row;
    }
}

} // namespace

} // namespace benchdnn
