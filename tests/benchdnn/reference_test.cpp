// SPDX-License-Identifier: Apache-2.0
// The reference of normalizations against its definition, against finite differences, and against
// inaccurate float arithmetic, which its tolerance must reject.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/attributes/post_ops_reference.hpp"
#include "common/tensor/fill.hpp"
#include "normalization/reference.hpp"

namespace benchdnn::normalization {

namespace {

constexpr dim_t cols = 23;
constexpr double epsilon = 1e-3;

struct sample_t {
    std::vector<double> src, diff_dst, scale, shift;
    explicit sample_t(double center, dim_t count = cols) {
        const noise_t noise(5);
        for (dim_t c = 0; c < count; ++c) {
            src.push_back(center + noise(c));
            diff_dst.push_back(0.3 + noise(c + 1000));
            scale.push_back(1 + 0.5 * noise(c + 2000));
            shift.push_back(noise(c + 3000));
        }
    }
    statistics_t statistics(bool is_rms) const {
        return statistics_of({src.data(), static_cast<dim_t>(src.size()), dnnl_f32, is_rms});
    }
    std::vector<estimate_t> forward(const statistics_t &given) const {
        const normalizer_t normalizer(given, epsilon);
        std::vector<estimate_t> dst;
        for (size_t c = 0; c < src.size(); ++c)
            dst.push_back(normalizer.forward(src[c], scale[c], shift[c]));
        return dst;
    }
    std::vector<estimate_t> backward(
            const statistics_t &given, src_gradient_t::terms_t terms) const {
        const normalizer_t normalizer(given, epsilon);
        src_gradient_t gradient(normalizer, terms);
        for (size_t c = 0; c < src.size(); ++c) gradient.add(src[c], scale[c] * diff_dst[c]);
        gradient.end_sums();
        std::vector<estimate_t> diff_src;
        for (size_t c = 0; c < src.size(); ++c)
            diff_src.push_back(gradient.of(src[c], scale[c] * diff_dst[c]));
        return diff_src;
    }
};

// The loss function whose gradient is diff_dst.
double loss(const sample_t &sample, bool is_rms) {
    const std::vector<estimate_t> dst = sample.forward(sample.statistics(is_rms));
    double sum = 0;
    for (size_t c = 0; c < dst.size(); ++c) sum += dst[c].value * sample.diff_dst[c];
    return sum;
}

double slope(sample_t sample, std::vector<double> sample_t::*member, dim_t at, bool is_rms) {
    const double step = 1e-5;
    (sample.*member)[at] += step;
    const double above = loss(sample, is_rms);
    (sample.*member)[at] -= 2 * step;
    return (above - loss(sample, is_rms)) / (2 * step);
}

class gradient : public testing::TestWithParam<bool> {};

TEST_P(gradient, of_src_is_the_slope_of_the_forward_pass) {
    const sample_t sample(0.7);
    const std::vector<estimate_t> diff_src =
            sample.backward(sample.statistics(GetParam()), gradient_terms(false, GetParam()));
    for (dim_t c = 0; c < cols; ++c)
        EXPECT_NEAR(diff_src[c].value, slope(sample, &sample_t::src, c, GetParam()), 1e-7) << c;
}

TEST_P(gradient, of_scale_and_shift_are_the_slopes_of_the_forward_pass) {
    const sample_t sample(0.7);
    const normalizer_t normalizer(sample.statistics(GetParam()), epsilon);
    for (dim_t c = 0; c < cols; ++c) {
        EXPECT_NEAR(sample.diff_dst[c] * normalizer.normalized(sample.src[c]),
                slope(sample, &sample_t::scale, c, GetParam()), 1e-7);
        EXPECT_NEAR(sample.diff_dst[c], slope(sample, &sample_t::shift, c, GetParam()), 1e-7);
    }
}

INSTANTIATE_TEST_SUITE_P(layer_and_rms, gradient, testing::Bool());

TEST(reference, global_statistics_have_no_slope) {
    const sample_t sample(0.7);
    const std::vector<estimate_t> diff_src =
            sample.backward({{0.1, 0}, {2, 0}}, gradient_terms(true, false));
    for (dim_t c = 0; c < cols; ++c)
        EXPECT_DOUBLE_EQ(
                diff_src[c].value, sample.scale[c] * sample.diff_dst[c] / std::sqrt(2 + epsilon));
}

TEST(reference, rms_takes_the_mean_square) {
    const std::vector<double> src{3, -4, 0, 5};
    const statistics_t statistics = statistics_of({src.data(), 4, dnnl_f32, true});
    EXPECT_DOUBLE_EQ(statistics.mean.value, 0);
    EXPECT_DOUBLE_EQ(statistics.variance.value, 12.5);
    EXPECT_DOUBLE_EQ(normalizer_t(statistics, epsilon).forward(-4, 1, 0).value,
            -4 / std::sqrt(12.5 + epsilon));
}

struct float_moments_t {
    float mean, variance;
};

float_moments_t two_pass(const std::vector<double> &src) {
    float sum = 0, squares = 0;
    const auto count = static_cast<float>(src.size());
    for (const double x : src) sum += static_cast<float>(x);
    const float mean = sum / count;
    for (const double x : src)
        squares += (static_cast<float>(x) - mean) * (static_cast<float>(x) - mean);
    return {mean, squares / count};
}

float_moments_t one_pass(const std::vector<double> &src) {
    float sum = 0, squares = 0;
    const auto count = static_cast<float>(src.size());
    for (const double x : src) {
        sum += static_cast<float>(x);
        squares += static_cast<float>(x) * static_cast<float>(x);
    }
    const float mean = sum / count;
    return {mean, squares / count - mean * mean};
}

bool within(estimate_t expected, double got) {
    return std::fabs(got - expected.value) <= expected.tolerance;
}

TEST(tolerance, takes_centred_float_statistics_at_every_offset) {
    for (const double center : {0., 4., -1000.}) {
        sample_t sample(center, 3000);
        for (double &x : sample.src) x = static_cast<float>(x);
        const statistics_t expected = sample.statistics(false);
        const float_moments_t got = two_pass(sample.src);
        EXPECT_TRUE(within(expected.mean, got.mean)) << center;
        EXPECT_TRUE(within(expected.variance, got.variance)) << center;
    }
}

TEST(tolerance, refuses_the_difference_of_squares_far_off_zero) {
    sample_t sample(1000, 3000);
    for (double &x : sample.src) x = static_cast<float>(x);
    EXPECT_FALSE(within(sample.statistics(false).variance, one_pass(sample.src).variance));
}

TEST(tolerance, refuses_a_folded_mean_far_off_zero) {
    // scale * r * x + (shift - scale * r * mean) instead of scale * r * (x - mean) + shift
    sample_t sample(1000, 300);
    for (double &x : sample.src) x = static_cast<float>(x);
    const statistics_t own = sample.statistics(false);
    const statistics_t given{
            {static_cast<float>(own.mean.value), 0}, {static_cast<float>(own.variance.value), 0}};
    const std::vector<estimate_t> dst = sample.forward(given);
    const auto r = static_cast<float>(1 / std::sqrt(given.variance.value + epsilon));
    int outside_straight = 0, outside_folded = 0;
    for (dim_t c = 0; c < 300; ++c) {
        const auto x = static_cast<float>(sample.src[c]), m = static_cast<float>(given.mean.value);
        const auto scale = static_cast<float>(sample.scale[c]);
        const auto shift = static_cast<float>(sample.shift[c]);
        const float factor = scale * r, offset = shift - factor * m;
        outside_straight += !within(dst[c], factor * (x - m) + shift);
        outside_folded += !within(dst[c], factor * x + offset);
    }
    EXPECT_EQ(outside_straight, 0);
    EXPECT_GT(outside_folded, 100);
}

running_sum_t sum_of(double distinct, running_sum_t::terms_t kind, int terms = 10000) {
    running_sum_t sum(distinct, kind);
    for (int i = 0; i < terms; ++i) sum.add(1);
    return sum;
}

TEST(tolerance, of_a_sum_grows_the_fewer_values_its_terms_take) {
    using terms_t = running_sum_t::terms_t;
    const double random = sum_of(1e9, terms_t::may_agree).tolerance();
    const double some = sum_of(1000, terms_t::are_products).tolerance();
    const double few = sum_of(100, terms_t::are_products).tolerance();
    const double alike = sum_of(100, terms_t::may_agree).tolerance();
    EXPECT_DOUBLE_EQ(random, f32_roundoff * (8 + 2 * 100) * 10000);
    EXPECT_GT(some, 3 * random);
    EXPECT_GT(few, 3 * some);
    EXPECT_GT(alike, 2 * few);
}

TEST(tolerance, of_a_sum_does_not_grow_where_the_values_of_its_parts_differ) {
    using terms_t = running_sum_t::terms_t;
    running_sum_t whole;
    for (int part = 0; part < 10; ++part) whole.merge(sum_of(1000, terms_t::are_products, 1000));
    EXPECT_DOUBLE_EQ(whole.tolerance(), sum_of(1e9, terms_t::are_products).tolerance());
}

TEST(statistics, are_exact_where_sums_are) {
    const std::vector<double> exact{1, 3, 5, 7}, off{1, 3, 5, 7.1};
    const auto statistics = [](const std::vector<double> &values) {
        return statistics_of({values.data(), static_cast<dim_t>(values.size()), dnnl_f32});
    };
    EXPECT_EQ(statistics(exact).mean_output().tolerance, 0);
    EXPECT_EQ(statistics(exact).variance_output().tolerance, 0);
    EXPECT_EQ(statistics(exact).variance_output().value, 5);
    // Where statistics are used, they may be rounded.
    EXPECT_GT(statistics(exact).variance.tolerance, 0);
    EXPECT_GT(statistics(off).mean_output().tolerance, 0);
    // An f32 sum of these rounds.
    const std::vector<double> far{16777216, 1, 1, -16777216};
    EXPECT_GT(statistics(far).mean_output().tolerance, 0);
    // The sum is exact, a third of it is no f32 number, so the squares are not.
    const std::vector<double> third{1, 1, 2};
    EXPECT_EQ(statistics(third).mean_output().tolerance, 0);
    EXPECT_GT(statistics(third).mean.tolerance, 0);
    EXPECT_GT(statistics(third).variance_output().tolerance, 0);
}

TEST(post_ops, values) {
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_relu, -2, 0.5, 0), -1);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_linear, 3, 2, -1), 5);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_clip, 3, -1, 2), 2);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_pow, 3, 2, 2), 18);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_round, 2.5, 0, 0), 2);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_soft_relu, 1000, 1, 0), 1000);
    EXPECT_DOUBLE_EQ(eltwise_value(dnnl_eltwise_hardswish, 1, 0.25, 0.5), 0.75);
    EXPECT_NEAR(eltwise_value(dnnl_eltwise_gelu_erf, 1, 0, 0), 0.841344746, 1e-9);
    EXPECT_NEAR(eltwise_value(dnnl_eltwise_gelu_tanh, 1, 0, 0), 0.841191990, 1e-8);
    EXPECT_DOUBLE_EQ(binary_value(dnnl_binary_div, 3, 2, false), 1.5);
    EXPECT_DOUBLE_EQ(binary_value(dnnl_binary_ge, 2, 2, false), 1);
    EXPECT_DOUBLE_EQ(binary_value(dnnl_binary_select, 3, 7, false), 7);
    EXPECT_DOUBLE_EQ(binary_value(dnnl_binary_select, 3, 7, true), 3);
}

TEST(post_ops, a_step_inside_the_uncertainty_is_allowed_for) {
    post_op_t op;
    op.algorithm = dnnl_eltwise_round;
    EXPECT_DOUBLE_EQ(eltwise_estimate(op, {2.5001, 0.001}).tolerance, 1 + 3 * 4 * f32_roundoff);
    EXPECT_LT(eltwise_estimate(op, {2.4, 0.001}).tolerance, 1e-5);
}

} // namespace

} // namespace benchdnn::normalization
