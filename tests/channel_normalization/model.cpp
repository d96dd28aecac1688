// SPDX-License-Identifier: Apache-2.0
// The formulas, and to first order what rounding does to them.
//
// With r = 1 / sqrt(variance + epsilon) and x̂ = (x - mean) r, the statistics being those of the
// element's set (a channel, or a sample's group of channels), scale and shift its channel's:
//   forward    dst = max(0, scale x̂ + shift + src_1)
//   backward   dy         = diff_dst where the ReLU passed, else 0;   diff_src_1 = dy
//              diff_src   = r (g - mean(g) - x̂ mean(g x̂)), g = scale dy, means over the set
//              diff_scale = sum over the channel of dy x̂
//              diff_shift = sum over the channel of dy
// Constant statistics leave diff_src = r g.
#include "channel_normalization/model.hpp"

#include <cmath>

namespace kiln::test::channel_normalization {

namespace {

using real_t = long double;

/// Roundings that a sum of n terms shows in one accumulator: random ones add up like a random walk;
/// the 4 stand for the few around it.
real_t sum_roundings(real_t n) { return 4 + std::sqrt(n); }

real_t error_of(const interval_t &interval) {
    return std::fmax(interval.high - interval.value, interval.value - interval.low);
}

/// Calls `visit(element, plane)` for each element.
template <typename visitor_t> void for_each_element(const operands_t &operands, visitor_t visit) {
    size_t element = 0;
    for (size_t plane = 0; plane < operands.planes(); ++plane)
        for (size_t i = 0; i < operands.plane_size; ++i) visit(element++, plane);
}

std::vector<real_t> set_sizes(const operands_t &operands) {
    std::vector<real_t> sizes(operands.statistics);
    for (const size_t set : operands.statistic) sizes[set] += real_t(operands.plane_size);
    return sizes;
}

struct statistics_t {
    std::vector<interval_t> mean;
    std::vector<interval_t> variance;
};

statistics_t given_statistics(const operands_t &operands) {
    statistics_t stats;
    for (const double mean : operands.mean) stats.mean.push_back(interval_t::exactly(mean));
    for (const double variance : operands.variance)
        stats.variance.push_back(interval_t::exactly(variance));
    return stats;
}

statistics_t computed_statistics(const operands_t &operands) {
    const auto n = set_sizes(operands);
    std::vector<real_t> mean(n.size()), size(n.size()), variance(n.size());
    for_each_element(operands, [&](size_t element, size_t plane) {
        const size_t set = operands.statistic[plane];
        mean[set] += operands.src[element] / n[set];
        size[set] += std::fabs(operands.src[element]) / n[set];
    });
    for_each_element(operands, [&](size_t element, size_t plane) {
        const size_t set = operands.statistic[plane];
        const real_t deviation = operands.src[element] - mean[set];
        variance[set] += deviation * deviation / n[set];
    });
    statistics_t stats;
    for (size_t set = 0; set < n.size(); ++set) {
        const real_t sum_error = operands.compute_roundoff * sum_roundings(n[set]);
        const real_t mean_error =
                operands.stat_roundoff * std::fabs(mean[set]) + sum_error * size[set];
        // Squares may be summed about an element instead of the mean, one and a half deviations
        // from it, and are three times as large then. Deviations from a wrong mean have a variance
        // that is too great by the error's square.
        const real_t variance_error =
                (operands.stat_roundoff + 3 * sum_error) * variance[set] + mean_error * mean_error;
        stats.mean.push_back(interval_t::around(mean[set], mean_error));
        stats.variance.push_back(interval_t::around(variance[set], variance_error));
    }
    return stats;
}

/// 1 / sqrt(variance + epsilon), with the few roundings of that formula.
interval_t reciprocal_deviation(const operands_t &operands, const interval_t &variance) {
    const auto r = variance.map([&](real_t v) {
        return 1 / std::sqrt(std::fmax(v, 0) + static_cast<real_t>(operands.epsilon));
    });
    return r.widened(3 * operands.compute_roundoff * r.value);
}

real_t scale_of(const operands_t &operands, size_t plane) {
    return operands.scale.empty() ? 1 : operands.scale[operands.channel_of(plane)];
}

real_t shift_of(const operands_t &operands, size_t plane) {
    return operands.shift.empty() ? 0 : operands.shift[operands.channel_of(plane)];
}

interval_t normalize(const operands_t &operands, const interval_t &mean, const interval_t &r,
        size_t element, size_t plane) {
    const real_t scale = scale_of(operands, plane);
    const real_t shift = shift_of(operands, plane);
    const real_t added = operands.added.empty() ? 0 : operands.added[element];
    const real_t deviation = operands.src[element] - mean.value;
    const real_t product = scale * deviation * r.value;
    const real_t value = product + shift + added;
    const real_t error =
            std::fabs(scale) * (error_of(mean) * r.high + std::fabs(deviation) * error_of(r))
            + operands.compute_roundoff
                      * (4 * std::fabs(product) + 2 * std::fabs(product + shift)
                              + (operands.added.empty() ? 0 : 2 * std::fabs(value)));
    const auto y = interval_t::around(value, error);
    if (!operands.has_relu) return y;
    return y.map([](real_t v) { return v <= 0 ? 0 : v; }); // NaN stays NaN
}

/// The means over a set that the gradient of src subtracts, and the sizes of what they sum.
struct set_means_t {
    real_t g = 0;
    real_t g_normalized = 0;
    real_t g_size = 0;
    real_t g_normalized_size = 0;
};

/// Sums over a channel, and the sizes of what they sum.
struct channel_sums_t {
    real_t dy = 0;
    real_t dy_normalized = 0;
    real_t dy_size = 0;
    real_t dy_normalized_size = 0;
};

/// One backward pass.
class backward_pass_t {
public:
    backward_pass_t(const operands_t &operands, const gradient_t &gradient)
        : operands_(operands)
        , gradient_(gradient)
        , set_sizes_(set_sizes(operands))
        , means_(operands.statistics)
        , sums_(operands.channels) {
        for (const double variance : operands.variance)
            r_.push_back(reciprocal_deviation(operands, interval_t::exactly(variance)).value);
        for_each_element(operands_, [&](size_t element, size_t plane) { add(element, plane); });
        if (gradient.has_constant_stats) means_.assign(means_.size(), {});
    }

    backward_truth_t truth() const {
        backward_truth_t truth;
        for_each_element(operands_, [&](size_t element, size_t plane) {
            truth.diff_src.push_back(diff_src(element, plane));
            truth.diff_added.push_back(interval_t::exactly(dy(element)));
        });
        const real_t n = real_t(operands_.planes() / operands_.channels * operands_.plane_size);
        const real_t error = operands_.compute_roundoff * sum_roundings(n);
        for (const channel_sums_t &sums : sums_) {
            truth.diff_scale.push_back(
                    interval_t::around(sums.dy_normalized, 2 * error * sums.dy_normalized_size));
            truth.diff_shift.push_back(interval_t::around(sums.dy, error * sums.dy_size));
        }
        return truth;
    }

private:
    real_t dy(size_t element) const {
        const bool passes = gradient_.passes.empty() || gradient_.passes[element];
        return passes ? gradient_.diff_dst[element] : 0;
    }
    real_t g(size_t element, size_t plane) const {
        return scale_of(operands_, plane) * dy(element);
    }
    real_t normalized(size_t element, size_t plane) const {
        const size_t set = operands_.statistic[plane];
        return (operands_.src[element] - static_cast<real_t>(operands_.mean[set])) * r_[set];
    }

    void add(size_t element, size_t plane) {
        const size_t set = operands_.statistic[plane];
        const real_t term = normalized(element, plane);
        set_means_t &means = means_[set];
        means.g += g(element, plane) / set_sizes_[set];
        means.g_size += std::fabs(g(element, plane)) / set_sizes_[set];
        means.g_normalized += g(element, plane) * term / set_sizes_[set];
        means.g_normalized_size += std::fabs(g(element, plane) * term) / set_sizes_[set];
        channel_sums_t &sums = sums_[operands_.channel_of(plane)];
        sums.dy += dy(element);
        sums.dy_size += std::fabs(dy(element));
        sums.dy_normalized += dy(element) * term;
        sums.dy_normalized_size += std::fabs(dy(element) * term);
    }

    interval_t diff_src(size_t element, size_t plane) const {
        const size_t set = operands_.statistic[plane];
        const set_means_t &means = means_[set];
        const real_t x = normalized(element, plane);
        const real_t value = g(element, plane) - means.g - x * means.g_normalized;
        const real_t roundings = 8 + sum_roundings(set_sizes_[set]);
        const real_t size = 8 * std::fabs(g(element, plane)) + roundings * means.g_size
                            + roundings * std::fabs(x) * means.g_normalized_size;
        return interval_t::around(r_[set] * value, operands_.compute_roundoff * r_[set] * size);
    }

    const operands_t &operands_;
    const gradient_t &gradient_;
    std::vector<real_t> set_sizes_;
    std::vector<real_t> r_;
    std::vector<set_means_t> means_;
    std::vector<channel_sums_t> sums_;
};

} // namespace

forward_truth_t forward(const operands_t &operands) {
    const bool is_given = !operands.variance.empty();
    const auto stats = is_given ? given_statistics(operands) : computed_statistics(operands);
    std::vector<interval_t> r;
    for (const interval_t &variance : stats.variance)
        r.push_back(reciprocal_deviation(operands, variance));
    forward_truth_t truth{stats.mean, stats.variance, {}};
    for_each_element(operands, [&](size_t element, size_t plane) {
        const size_t set = operands.statistic[plane];
        truth.dst.push_back(normalize(operands, stats.mean[set], r[set], element, plane));
    });
    return truth;
}

backward_truth_t backward(const operands_t &operands, const gradient_t &gradient) {
    return backward_pass_t(operands, gradient).truth();
}

} // namespace kiln::test::channel_normalization
