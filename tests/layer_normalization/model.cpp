// SPDX-License-Identifier: Apache-2.0
// The formulas, and to first order what rounding does to them.
//
// With r = 1 / sqrt(variance + epsilon) and x̂ = (x - mean) r:
//   forward    dst = scale x̂ + shift
//   backward   diff_src   = r (g - mean(g) - x̂ mean(g x̂)), g = scale diff_dst
//              diff_scale = sum over rows of diff_dst x̂
//              diff_shift = sum over rows of diff_dst
// RMSNorm is the same with mean = 0, variance = mean(x²) and no mean(g) in the gradient; constant
// statistics leave diff_src = r g.
#include "layer_normalization/model.hpp"

#include <cmath>

namespace kiln::test::layer_normalization {

namespace {

using real_t = long double;

/// Roundings that a sum of n terms shows in one accumulator: random ones add up like a random walk;
/// the 4 stand for the few around it.
real_t sum_roundings(int64_t n) { return 4 + std::sqrt(static_cast<real_t>(n)); }

struct row_stats_t {
    interval_t mean;
    interval_t variance;
};

row_stats_t compute_stats(const operands_t &operands, const double *x) {
    const auto n = static_cast<real_t>(operands.cols);
    const real_t sum_error = operands.compute_roundoff * sum_roundings(operands.cols);
    real_t mean = 0;
    real_t mean_error = 0;
    if (operands.subtracts_mean) {
        real_t size = 0;
        for (int64_t c = 0; c < operands.cols; ++c) {
            mean += x[c] / n;
            size += std::fabs(x[c]) / n;
        }
        mean_error = operands.stat_roundoff * std::fabs(mean) + sum_error * size;
    }
    real_t variance = 0;
    for (int64_t c = 0; c < operands.cols; ++c) variance += (x[c] - mean) * (x[c] - mean) / n;
    // Deviations from a wrong mean have a variance that is too great by the error's square.
    const real_t variance_error =
            (operands.stat_roundoff + sum_error) * variance + mean_error * mean_error;
    return {interval_t::around(mean, mean_error), interval_t::around(variance, variance_error)};
}

row_stats_t given_stats(const operands_t &operands, size_t row) {
    const real_t mean = operands.subtracts_mean ? operands.mean[row] : 0;
    return {interval_t::exactly(mean), interval_t::exactly(operands.variance[row])};
}

row_stats_t row_stats(const operands_t &operands, int64_t row) {
    const bool is_given = !operands.variance.empty();
    return is_given ? given_stats(operands, static_cast<size_t>(row))
                    : compute_stats(operands, operands.src.data() + row * operands.cols);
}

/// 1 / sqrt(variance + epsilon), with the few roundings of that formula.
interval_t reciprocal_deviation(const operands_t &operands, const interval_t &variance) {
    const auto r = variance.map([&](real_t v) {
        return 1 / std::sqrt(std::fmax(v, 0) + static_cast<real_t>(operands.epsilon));
    });
    return r.widened(3 * operands.compute_roundoff * r.value);
}

real_t error_of(const interval_t &interval) {
    return std::fmax(interval.high - interval.value, interval.value - interval.low);
}

real_t scale_at(const operands_t &operands, int64_t c) {
    return operands.scale.empty() ? 1 : operands.scale[static_cast<size_t>(c)];
}

interval_t normalize(const operands_t &operands, const row_stats_t &stats, const interval_t &r,
        real_t x, int64_t c) {
    const real_t scale = scale_at(operands, c);
    const real_t shift = operands.shift.empty() ? 0 : operands.shift[static_cast<size_t>(c)];
    const real_t deviation = x - stats.mean.value;
    const real_t product = scale * deviation * r.value;
    const real_t error =
            std::fabs(scale) * (error_of(stats.mean) * r.high + std::fabs(deviation) * error_of(r))
            + operands.compute_roundoff * (4 * std::fabs(product) + 2 * std::fabs(product + shift));
    return interval_t::around(product + shift, error);
}

/// The means over a row that the gradient of src subtracts, and the sizes of what they sum.
struct row_means_t {
    real_t g = 0;
    real_t g_normalized = 0;
    real_t g_size = 0;
    real_t g_normalized_size = 0;
};

struct backward_row_t {
    const operands_t &operands;
    const double *x;
    const double *dy;
    real_t mean;
    real_t r;

    real_t normalized(int64_t c) const { return (x[c] - mean) * r; }
    real_t g(int64_t c) const { return scale_at(operands, c) * dy[c]; }

    row_means_t means() const {
        row_means_t means;
        const auto n = static_cast<real_t>(operands.cols);
        for (int64_t c = 0; c < operands.cols; ++c) {
            means.g_normalized += g(c) * normalized(c) / n;
            means.g_normalized_size += std::fabs(g(c) * normalized(c)) / n;
            if (!operands.subtracts_mean) continue;
            means.g += g(c) / n;
            means.g_size += std::fabs(g(c)) / n;
        }
        return means;
    }

    interval_t diff_src(const row_means_t &means, int64_t c) const {
        const real_t value = g(c) - means.g - normalized(c) * means.g_normalized;
        const real_t mean_roundings = sum_roundings(operands.cols);
        const real_t roundings =
                8 * std::fabs(g(c)) + (8 + mean_roundings) * means.g_size
                + (8 + mean_roundings) * std::fabs(normalized(c)) * means.g_normalized_size;
        return interval_t::around(r * value, operands.compute_roundoff * r * roundings);
    }
};

} // namespace

forward_truth_t forward(const operands_t &operands) {
    forward_truth_t truth;
    for (int64_t row = 0; row < operands.rows; ++row) {
        const auto stats = row_stats(operands, row);
        const auto r = reciprocal_deviation(operands, stats.variance);
        const double *x = operands.src.data() + row * operands.cols;
        for (int64_t c = 0; c < operands.cols; ++c)
            truth.dst.push_back(normalize(operands, stats, r, x[c], c));
        truth.mean.push_back(stats.mean);
        truth.variance.push_back(stats.variance);
    }
    return truth;
}

backward_truth_t backward(
        const operands_t &operands, const std::vector<double> &diff_dst, bool has_constant_stats) {
    const auto cols = static_cast<size_t>(operands.cols);
    backward_truth_t truth;
    std::vector<real_t> diff_scale(cols), diff_scale_size(cols);
    std::vector<real_t> diff_shift(cols), diff_shift_size(cols);
    for (int64_t row = 0; row < operands.rows; ++row) {
        const auto stats = given_stats(operands, static_cast<size_t>(row));
        const backward_row_t line{operands, operands.src.data() + row * operands.cols,
                diff_dst.data() + row * operands.cols, stats.mean.value,
                reciprocal_deviation(operands, stats.variance).value};
        const auto means = has_constant_stats ? row_means_t() : line.means();
        for (size_t c = 0; c < cols; ++c) {
            const auto col = static_cast<int64_t>(c);
            truth.diff_src.push_back(line.diff_src(means, col));
            const real_t term = line.dy[c] * line.normalized(col);
            diff_scale[c] += term;
            diff_scale_size[c] += std::fabs(term);
            diff_shift[c] += line.dy[c];
            diff_shift_size[c] += std::fabs(line.dy[c]);
        }
    }
    const real_t error = operands.compute_roundoff * sum_roundings(operands.rows);
    for (size_t c = 0; c < cols; ++c) {
        truth.diff_scale.push_back(
                interval_t::around(diff_scale[c], 2 * error * diff_scale_size[c]));
        truth.diff_shift.push_back(interval_t::around(diff_shift[c], error * diff_shift_size[c]));
    }
    return truth;
}

} // namespace kiln::test::layer_normalization
