// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization forward on rows are at least as accurate as the plain way in f32: the
// mean, then the deviations from it, each in one loop over the row.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/row_forward_run.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using kiln::test::random_values_t;

/// What one way makes of a row, or the truth about it.
template <typename value_t> struct row_t {
    value_t mean, variance;
    std::vector<value_t> y;
};

/// Both the plain way (value_t = float: baseline x86-64 has no other arithmetic for it than that of
/// single operations) and the truth (value_t = long double).
template <typename value_t> row_t<value_t> two_passes(const std::vector<float> &x, float epsilon) {
    row_t<value_t> row{};
    const auto count = static_cast<value_t>(x.size());
    for (const float value : x) row.mean += static_cast<value_t>(value);
    row.mean /= count;
    for (const float value : x) {
        const value_t d = static_cast<value_t>(value) - row.mean;
        row.variance += d * d;
    }
    row.variance /= count;
    const value_t r = 1 / std::sqrt(row.variance + static_cast<value_t>(epsilon));
    for (const float value : x) row.y.push_back((static_cast<value_t>(value) - row.mean) * r);
    return row;
}

/// The distance of neighbouring floats at a value.
double ulp(double value) {
    const int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
    return std::ldexp(1, exponent - 23);
}

/// The larger one; NaN is larger than anything.
double worse(double one, double other) { return other > one || std::isnan(other) ? other : one; }

/// How far results are from the truth: the variance in its own ulp, y in that of the row's largest
/// y, the mean in that of the mean or the deviation, whichever is larger. (Where the mean is next
/// to nothing beside the elements, its own last digits mean nothing.)
struct errors_t {
    double mean = 0, variance = 0, y = 0;
};

template <typename value_t>
errors_t errors_of(const row_t<value_t> &got, const row_t<long double> &truth) {
    const auto distance = [](value_t value, long double right) {
        return static_cast<double>(std::abs(static_cast<long double>(value) - right));
    };
    long double largest_y = 0;
    for (const long double y : truth.y) largest_y = std::max(largest_y, std::abs(y));
    errors_t errors;
    const long double size = std::max(std::abs(truth.mean), std::sqrt(truth.variance));
    errors.mean = distance(got.mean, truth.mean) / ulp(static_cast<double>(size));
    errors.variance =
            distance(got.variance, truth.variance) / ulp(static_cast<double>(truth.variance));
    for (size_t c = 0; c < truth.y.size(); ++c)
        errors.y = worse(
                errors.y, distance(got.y[c], truth.y[c]) / ulp(static_cast<double>(largest_y)));
    return errors;
}

void keep_worst(errors_t &worst, const errors_t &errors) {
    worst.mean = worse(worst.mean, errors.mean);
    worst.variance = worse(worst.variance, errors.variance);
    worst.y = worse(worst.y, errors.y);
}

/// A kind of rows: an element, from its column.
struct family_t {
    const char *name;
    float epsilon;
    std::function<double(random_values_t &random, dim_t col, dim_t cols)> element;
};

/// Roughly normal: deviation 1, mean 0.
double bell(random_values_t &random) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.between(0, 1);
    return sum;
}

std::function<double(random_values_t &, dim_t, dim_t)> outlier_at(
        std::function<dim_t(dim_t)> place) {
    return [place](random_values_t &random, dim_t col, dim_t cols) {
        return col == place(cols) ? 1e6 : bell(random);
    };
}

const std::vector<family_t> large_means{
        {"mean 1e4, deviation 1", 1e-5f,
                [](random_values_t &random, dim_t, dim_t) { return 1e4 + bell(random); }},
        {"mean 1e4 without epsilon", 0,
                [](random_values_t &random, dim_t, dim_t) { return 1e4 + bell(random); }},
        {"mean -1e6, deviation 1", 0,
                [](random_values_t &random, dim_t, dim_t) { return bell(random) - 1e6; }},
};

const std::vector<family_t> other_rows{
        {"deviation 1", 1e-5f, [](random_values_t &random, dim_t, dim_t) { return bell(random); }},
        {"outlier first", 1e-5f, outlier_at([](dim_t) { return 0; })},
        {"outlier in the middle", 1e-5f, outlier_at([](dim_t cols) { return cols / 2; })},
        {"outlier last", 1e-5f, outlier_at([](dim_t cols) { return cols - 1; })},
        {"first, middle and last unlike the rest", 1e-5f,
                [](random_values_t &random, dim_t col, dim_t cols) {
                    const bool is_chosen = col == 0 || col == cols / 2 || col == cols - 1;
                    return bell(random) + (is_chosen ? 40 : -40);
                }},
        {"heavy tails", 1e-5f,
                [](random_values_t &random, dim_t, dim_t) {
                    return std::tan(std::numbers::pi * random.between(-0.4999, 0.4999));
                }},
        {"tiny", 1e-5f, [](random_values_t &random, dim_t, dim_t) { return 1e-20 * bell(random); }},
        {"large", 0, [](random_values_t &random, dim_t, dim_t) { return 1e15 * bell(random); }},
        {"a ramp", 0,
                [](random_values_t &, dim_t col, dim_t) { return 0.1 * static_cast<double>(col); }},
};

constexpr dim_t rows_of_family = 64;

forward_case_t case_of(isa_t isa, dim_t rows, dim_t cols, float epsilon) {
    forward_case_t tested;
    tested.isa = isa;
    tested.rows = rows;
    tested.cols = cols;
    tested.epsilon = epsilon;
    return tested;
}

/// The worst errors over rows of a family, the kernel's and those of the plain way.
struct comparison_t {
    errors_t kernel, plain;
};

comparison_t compare(const family_t &family, isa_t isa, dim_t cols) {
    random_values_t random(static_cast<uint64_t>(cols));
    std::vector<double> values;
    for (dim_t i = 0; i < rows_of_family * cols; ++i)
        values.push_back(static_cast<float>(family.element(random, i % cols, cols)));
    forward_run_t run(case_of(isa, rows_of_family, cols, family.epsilon));
    run.src.fill(values);
    run.run();
    comparison_t worst;
    for (dim_t at = 0; at < rows_of_family; ++at) {
        const auto first = values.begin() + at * cols;
        const std::vector<float> x(first, first + cols);
        const auto truth = two_passes<long double>(x, family.epsilon);
        row_t<float> got{static_cast<float>(run.mean.get(at, 0)),
                static_cast<float>(run.variance.get(at, 0)), {}};
        for (dim_t c = 0; c < cols; ++c) got.y.push_back(static_cast<float>(run.dst().get(at, c)));
        keep_worst(worst.kernel, errors_of(got, truth));
        keep_worst(worst.plain, errors_of(two_passes<float>(x, family.epsilon), truth));
    }
    return worst;
}

/// The kernel's worst errors are not larger than those of the plain way, or than the allowance.
void expect_no_worse_than_plain(const std::vector<family_t> &families, const errors_t &allowance) {
    for (const isa_t isa : machine_levels())
        for (const family_t &family : families)
            for (const dim_t cols : {2, 3, 4, 7, 16, 33, 100, 256, 768, 1031, 4096}) {
                const auto [kernel, plain] = compare(family, isa, cols);
                const std::string context = std::string(family.name) + ", " + isa_name(isa)
                                            + ", C = " + std::to_string(cols);
                EXPECT_LE(kernel.mean, std::max(plain.mean, allowance.mean)) << context;
                EXPECT_LE(kernel.variance, std::max(plain.variance, allowance.variance)) << context;
                EXPECT_LE(kernel.y, std::max(plain.y, allowance.y)) << context;
            }
}

// The plain way may be right by luck on one row, so the worst of 64 are compared; and below 2 ulp
// of the mean, 3 of the variance and of y, each of which is rounded oftener, no way is better than
// another.
TEST(row_accuracy, rows_of_a_large_mean_are_no_worse_than_by_two_passes_in_f32) {
    expect_no_worse_than_plain(large_means, {2, 4, 4});
}

TEST(row_accuracy, other_rows_are_no_worse_than_by_two_passes_in_f32) {
    expect_no_worse_than_plain(other_rows, {2, 4, 4});
}

TEST(row_accuracy, equal_values_have_no_variance) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {1, 2, 3, 7, 16, 100, 1000, 1023})
            for (const float value : {0.f, 0.1f, -1e4f, 3.3e-20f, 1e15f, 16777217.f}) {
                forward_run_t run(case_of(isa, 5, cols, 1e-5f));
                run.src.fill(std::vector<double>(static_cast<size_t>(5 * cols), value));
                run.run();
                for (dim_t row = 0; row < 5; ++row) {
                    EXPECT_EQ(run.mean.get(row, 0), value) << cols;
                    EXPECT_EQ(run.variance.get(row, 0), 0) << cols;
                    for (dim_t col = 0; col < cols; ++col)
                        ASSERT_EQ(run.dst().get(row, col), 0) << cols;
                }
            }
}

TEST(row_accuracy, a_single_element_is_its_own_mean) {
    for (const isa_t isa : machine_levels()) {
        const std::vector<double> values{1, -1e4, 1e-20f, 1e15f, 0, 0.1f, 7};
        forward_run_t run(case_of(isa, 7, 1, 0.1f));
        run.src.fill(values);
        run.run();
        for (dim_t row = 0; row < 7; ++row) {
            EXPECT_EQ(run.mean.get(row, 0), values[static_cast<size_t>(row)]);
            EXPECT_EQ(run.variance.get(row, 0), 0);
            EXPECT_EQ(run.dst().get(row, 0), 0);
        }
    }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
