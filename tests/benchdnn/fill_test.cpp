// SPDX-License-Identifier: Apache-2.0
// The data: the same in each run, different in each element, and in some problems far from zero.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "common/tensor/descriptor.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

std::vector<double> values_of(const tensor_t &tensor) {
    std::vector<double> values;
    for (dim_t i = 0; i < tensor.layout().elements(); ++i) values.push_back(tensor.load(i));
    return values;
}

std::vector<double> src_of(const std::vector<std::string> &words) {
    return values_of(executed_problem_t(words).arguments.original(DNNL_ARG_SRC));
}

TEST(noise, is_uniform_and_never_repeats) {
    const noise_t noise(seed_of("x"));
    std::set<double> seen;
    double sum = 0, squares = 0;
    for (dim_t i = 0; i < 100000; ++i) {
        const double x = noise(i);
        ASSERT_GE(x, -1);
        ASSERT_LE(x, 1);
        seen.insert(x);
        sum += x;
        squares += x * x;
    }
    EXPECT_EQ(seen.size(), 100000u);
    EXPECT_NEAR(sum / 1e5, 0, 0.01);
    EXPECT_NEAR(squares / 1e5, 1. / 3, 0.01);
}

TEST(fill, is_the_same_each_time_and_in_each_layout) {
    const std::vector<double> once = src_of({"--lnorm", "4x6x8"});
    EXPECT_EQ(once, src_of({"--lnorm", "4x6x8"}));
    EXPECT_EQ(once, src_of({"--lnorm", "--tag=acb", "4x6x8"}));
    EXPECT_NE(once, src_of({"--lnorm", "--flags=C", "4x6x8"}));
}

TEST(fill, gives_each_position_its_own_value) {
    const std::vector<double> src = src_of({"--lnorm", "64x64"});
    EXPECT_GT(std::set<double>(src.begin(), src.end()).size(), src.size() * 95 / 100);
}

TEST(fill, rows_differ_in_level_and_spread) {
    executed_problem_t executed({"--lnorm", "60x100"});
    std::set<double> means = {}, variances = {};
    for (const double x : values_of(executed.arguments.at(DNNL_ARG_MEAN))) means.insert(x);
    for (const double x : values_of(executed.arguments.at(DNNL_ARG_VARIANCE))) variances.insert(x);
    EXPECT_EQ(means.size(), 60u);
    EXPECT_GT(*variances.rbegin(), 4 * *variances.begin());
}

TEST(fill, some_problems_lie_far_off_zero_and_some_do_not) {
    double farthest = 0, nearest = 1e9;
    for (int rows = 20; rows < 40; ++rows) {
        executed_problem_t executed({"--lnorm", std::to_string(rows) + "x50"});
        double ratio = 0;
        for (dim_t r = 0; r < rows; ++r)
            ratio = std::max(
                    ratio, std::fabs(executed.arguments.at(DNNL_ARG_MEAN).load(r))
                                   / std::sqrt(executed.arguments.at(DNNL_ARG_VARIANCE).load(r)));
        farthest = std::max(farthest, ratio);
        nearest = std::min(nearest, ratio);
    }
    EXPECT_GT(farthest, 500);
    EXPECT_LT(nearest, 2);
}

TEST(fill, scale_has_both_signs_and_shift_is_not_zero) {
    executed_problem_t executed({"--lnorm", "--flags=CH", "10x100"});
    const std::vector<double> scale = values_of(executed.arguments.at(DNNL_ARG_SCALE));
    EXPECT_LT(*std::min_element(scale.begin(), scale.end()), 0);
    for (const double x : scale) EXPECT_GT(std::fabs(x), 0.1);
    const std::vector<double> shift = values_of(executed.arguments.at(DNNL_ARG_SHIFT));
    EXPECT_EQ(std::count(shift.begin(), shift.end(), 0.0), 0);
}

TEST(fill, global_statistics_are_not_the_rows_own) {
    executed_problem_t own({"--lnorm", "--dir=BWD_D", "30x40"});
    executed_problem_t global({"--lnorm", "--dir=BWD_D", "--flags=G", "30x40"});
    const auto own_variance = [](executed_problem_t &executed) {
        const tensor_t &src = executed.arguments.at(DNNL_ARG_SRC);
        double mean = 0, variance = 0;
        for (dim_t c = 0; c < 40; ++c) mean += src.load(c) / 40;
        for (dim_t c = 0; c < 40; ++c) variance += std::pow(src.load(c) - mean, 2) / 40;
        return variance;
    };
    EXPECT_NEAR(own.arguments.at(DNNL_ARG_VARIANCE).load(0), own_variance(own), 1e-6);
    EXPECT_GT(global.arguments.at(DNNL_ARG_VARIANCE).load(0), 1.4 * own_variance(global));
}

TEST(fill, operands_keep_away_from_zero) {
    const memory_desc_t descriptor = make_descriptor({10, 30}, dnnl_s8, "ab");
    tensor_t tensor(layout_t(descriptor.get()));
    fill_operand(tensor, 7);
    const std::vector<double> values = values_of(tensor);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), 0);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 5u);
}

TEST(fill, gives_elements_that_repeat_their_last_value) {
    constexpr dim_t rows = 300, cols = 400; // enough for several workers
    tensor_t dense(layout_t(
            {dnnl_f32, {rows, cols}, {rows, cols}, {cols, 1}, {}, 0, rows * cols * sizeof(float)}));
    fill_operand(dense, 7);
    const std::vector<double> values = values_of(dense);
    for (int repeat = 0; repeat < 20; ++repeat) {
        tensor_t repeated(layout_t(
                {dnnl_f32, {rows, cols}, {rows, cols}, {0, 1}, {}, 0, cols * sizeof(float)}));
        fill_operand(repeated, 7);
        for (dim_t col = 0; col < cols; ++col)
            ASSERT_EQ(repeated.load(col), values[(rows - 1) * cols + col]);
    }
}

} // namespace

} // namespace benchdnn
