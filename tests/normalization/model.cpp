// SPDX-License-Identifier: Apache-2.0
// The formulas, and to first order what rounding does to them.
//
// With r = 1 / sqrt(variance + epsilon) and x̂ = (x - mean) r, the statistics being those of the
// element's set, scale and shift those of its weight:
//   forward    dst = max(0, scale x̂ + shift + added)
//   backward   dy         = diff_dst where the ReLU passed, else 0;   diff_added = dy
//              diff_src   = r (g - mean(g) - x̂ mean(g x̂)), g = scale dy, means over the set
//              diff_scale = sum over the weight's elements of dy x̂
//              diff_shift = sum over the weight's elements of dy
// RMSNorm is the same with mean = 0, variance = mean(x²) and no mean(g) in the gradient. Constant
// statistics leave diff_src = r g.
#include "normalization/model.hpp"

#include <algorithm>
#include <cmath>

#include "support/roundings.hpp"

namespace kiln::test::normalization {

namespace {

using real_t = long double;

real_t sum_roundings(const operands_t &operands, real_t n) {
    return roundings_of_sum(n, operands.repeats);
}

real_t error_of(const interval_t &interval) {
    return std::fmax(interval.high - interval.value, interval.value - interval.low);
}

std::vector<real_t> counts(const std::vector<uint32_t> &index_of, size_t size) {
    std::vector<size_t> counts(size);
    for (const uint32_t index : index_of) ++counts[index];
    return {counts.begin(), counts.end()};
}

statistics_t given_statistics(const operands_t &operands) {
    statistics_t stats;
    for (size_t set = 0; set < operands.sets; ++set) {
        stats.mean.push_back(interval_t::exactly(operands.subtracts_mean ? operands.mean[set] : 0));
        stats.variance.push_back(interval_t::exactly(operands.variance[set]));
    }
    return stats;
}

statistics_t computed_statistics(const operands_t &operands) {
    auto n = counts(operands.set_of, operands.sets);
    for (real_t &count : n) count = std::fmax(count, 1); // sums of no elements stay 0
    std::vector<real_t> mean(n.size()), size(n.size()), variance(n.size());
    if (operands.subtracts_mean)
        for (size_t element = 0; element < operands.src.size(); ++element) {
            const size_t set = operands.set_of[element];
            mean[set] += operands.src[element];
            size[set] += std::fabs(operands.src[element]);
        }
    for (size_t set = 0; set < n.size(); ++set) {
        mean[set] /= n[set];
        size[set] /= n[set];
    }
    for (size_t element = 0; element < operands.src.size(); ++element) {
        const size_t set = operands.set_of[element];
        const real_t deviation = operands.src[element] - mean[set];
        variance[set] += deviation * deviation;
    }
    statistics_t stats;
    for (size_t set = 0; set < n.size(); ++set) {
        variance[set] /= n[set];
        const real_t sum_error = operands.compute_roundoff * sum_roundings(operands, n[set]);
        const real_t mean_error =
                operands.stat_roundoff * std::fabs(mean[set]) + sum_error * size[set];
        // Deviations from a wrong mean have a variance that is too great by the error's square.
        const real_t variance_error =
                (operands.stat_roundoff + operands.square_sum_size * sum_error) * variance[set]
                + mean_error * mean_error;
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

real_t scale_of(const operands_t &operands, size_t element) {
    return operands.scale.empty() ? 1 : operands.scale[operands.weight_of[element]];
}

real_t shift_of(const operands_t &operands, size_t element) {
    return operands.shift.empty() ? 0 : operands.shift[operands.weight_of[element]];
}

interval_t normalize(
        const operands_t &operands, const interval_t &mean, const interval_t &r, size_t element) {
    const real_t scale = scale_of(operands, element);
    const real_t shift = shift_of(operands, element);
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

/// Sums over a set or over the elements of a weight, and the sizes of what they sum.
struct sums_t {
    real_t y = 0;
    real_t y_normalized = 0;
    real_t y_size = 0;
    real_t y_normalized_size = 0;

    void add(real_t value, real_t normalized) {
        y += value;
        y_size += std::fabs(value);
        y_normalized += value * normalized;
        y_normalized_size += std::fabs(value * normalized);
    }
};

/// One backward pass.
class backward_pass_t {
public:
    backward_pass_t(const operands_t &operands, const gradient_t &gradient)
        : operands_(operands)
        , gradient_(gradient)
        , set_sizes_(counts(operands.set_of, operands.sets))
        , mean_(given_statistics(operands).mean)
        , set_sums_(operands.sets)
        , weight_sums_(operands.weights) {
        for (const double variance : operands.variance)
            r_.push_back(reciprocal_deviation(operands, interval_t::exactly(variance)).value);
        for (size_t element = 0; element < operands.src.size(); ++element) {
            const real_t normalized = this->normalized(element);
            set_sums_[operands.set_of[element]].add(g(element), normalized);
            weight_sums_[operands.weight_of[element]].add(dy(element), normalized);
        }
        if (gradient.has_constant_stats) set_sums_.assign(set_sums_.size(), {});
        if (!operands.subtracts_mean)
            for (auto &sums : set_sums_) sums.y = sums.y_size = 0;
    }

    backward_truth_t truth() const {
        backward_truth_t truth;
        truth.diff_src.reserve(operands_.src.size());
        truth.diff_added.reserve(operands_.src.size());
        for (size_t element = 0; element < operands_.src.size(); ++element) {
            truth.diff_src.push_back(diff_src(element));
            truth.diff_added.push_back(interval_t::exactly(dy(element)));
        }
        const auto terms = counts(operands_.weight_of, operands_.weights);
        for (size_t weight = 0; weight < operands_.weights; ++weight) {
            const sums_t &sums = weight_sums_[weight];
            const real_t error =
                    operands_.compute_roundoff * sum_roundings(operands_, terms[weight]);
            truth.diff_scale.push_back(
                    interval_t::around(sums.y_normalized, 2 * error * sums.y_normalized_size));
            truth.diff_shift.push_back(interval_t::around(sums.y, error * sums.y_size));
        }
        return truth;
    }

private:
    real_t dy(size_t element) const {
        const bool passes = gradient_.passes.empty() || gradient_.passes[element];
        return passes ? gradient_.diff_dst[element] : 0;
    }
    real_t g(size_t element) const { return scale_of(operands_, element) * dy(element); }
    real_t normalized(size_t element) const {
        const size_t set = operands_.set_of[element];
        return (operands_.src[element] - mean_[set].value) * r_[set];
    }

    interval_t diff_src(size_t element) const {
        const size_t set = operands_.set_of[element];
        const sums_t &sums = set_sums_[set];
        const real_t n = set_sizes_[set];
        const real_t x = normalized(element);
        const real_t value = g(element) - sums.y / n - x * sums.y_normalized / n;
        const real_t roundings = (8 + sum_roundings(operands_, n)) / n;
        const real_t size = 8 * std::fabs(g(element))
                            + roundings * (sums.y_size + std::fabs(x) * sums.y_normalized_size);
        return interval_t::around(r_[set] * value, operands_.compute_roundoff * r_[set] * size);
    }

    const operands_t &operands_;
    const gradient_t &gradient_;
    std::vector<real_t> set_sizes_;
    std::vector<interval_t> mean_;
    std::vector<real_t> r_;
    std::vector<sums_t> set_sums_;
    std::vector<sums_t> weight_sums_;
};

/// One set alone.
struct row_t {
    operands_t operands;
    gradient_t gradient;

    row_t(const operands_t &all, const gradient_t &all_gradients, size_t row)
        : operands(all)
        , gradient{{}, {}, false} {
        const auto begin = static_cast<ptrdiff_t>(row * all.weights);
        const auto end = begin + static_cast<ptrdiff_t>(all.weights);
        operands.sets = 1;
        operands.set_of.assign(all.weights, 0);
        operands.weight_of.assign(all.weight_of.begin(), all.weight_of.begin() + end - begin);
        operands.src.assign(all.src.begin() + begin, all.src.begin() + end);
        gradient.diff_dst.assign(
                all_gradients.diff_dst.begin() + begin, all_gradients.diff_dst.begin() + end);
    }

    /// The gradients, whatever errors of statistics lead to.
    backward_truth_t truth() const {
        const auto stats = statistics_of(operands);
        const auto with = [&](real_t interval_t::*mean, real_t interval_t::*variance) {
            operands_t given = operands;
            given.mean = {static_cast<double>(stats.mean.front().*mean)};
            given.variance = {static_cast<double>(
                    std::max(stats.variance.front().*variance, static_cast<real_t>(0)))};
            return backward_truth(given, gradient);
        };
        const auto include = [](interval_t &truth, const interval_t &other) {
            truth.low = std::min(truth.low, other.low);
            truth.high = std::max(truth.high, other.high);
        };
        backward_truth_t truth = with(&interval_t::value, &interval_t::value);
        for (const auto mean : {&interval_t::low, &interval_t::high})
            for (const auto variance : {&interval_t::low, &interval_t::high}) {
                const auto other = with(mean, variance);
                for (size_t c = 0; c < truth.diff_src.size(); ++c) {
                    include(truth.diff_src[c], other.diff_src[c]);
                    include(truth.diff_scale[c], other.diff_scale[c]);
                }
            }
        return truth;
    }
};

} // namespace

statistics_t statistics_of(const operands_t &operands) {
    return operands.variance.empty() ? computed_statistics(operands) : given_statistics(operands);
}

forward_truth_t forward_truth(const operands_t &operands) {
    const auto stats = statistics_of(operands);
    std::vector<interval_t> r;
    for (const interval_t &variance : stats.variance)
        r.push_back(reciprocal_deviation(operands, variance));
    forward_truth_t truth{stats, {}};
    truth.dst.reserve(operands.src.size());
    for (size_t element = 0; element < operands.src.size(); ++element) {
        const size_t set = operands.set_of[element];
        truth.dst.push_back(normalize(operands, stats.mean[set], r[set], element));
    }
    return truth;
}

backward_truth_t backward_truth(const operands_t &operands, const gradient_t &gradient) {
    return backward_pass_t(operands, gradient).truth();
}

backward_truth_t backward_truth_from_src(const operands_t &operands, const gradient_t &gradient) {
    operands_t given = operands;
    const auto stats = statistics_of(operands);
    for (const interval_t &mean : stats.mean) given.mean.push_back(static_cast<double>(mean.value));
    for (const interval_t &variance : stats.variance)
        given.variance.push_back(static_cast<double>(variance.value));
    backward_truth_t truth = backward_truth(given, gradient);
    for (size_t row = 0; row < operands.sets; ++row) {
        const auto one = row_t(operands, gradient, row).truth();
        for (size_t c = 0; c < operands.weights; ++c) {
            truth.diff_src[row * operands.weights + c] = one.diff_src[c];
            interval_t &sum = truth.diff_scale[c];
            sum.low -= one.diff_scale[c].value - one.diff_scale[c].low;
            sum.high += one.diff_scale[c].high - one.diff_scale[c].value;
        }
    }
    return truth;
}

} // namespace kiln::test::normalization
