// SPDX-License-Identifier: Apache-2.0
// Normalization of one population, forward and backward, in double.
#include "normalization/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "common/tensor/data_type.hpp"

namespace benchdnn::normalization {

namespace {

constexpr double u = f32_roundoff;
constexpr double f32_integers = 1 / u; // up to here f32 holds every integer

// The value of the lowest bit set: numbers are integers in units of it. 0 for those too small for
// that to matter.
double quantum_of(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    const int lowest = exponent - 52 + std::countr_zero(mantissa);
    return lowest > 0 ? std::bit_cast<double>(static_cast<uint64_t>(lowest) << 52) : 0;
}

// A unit that all values are integers of, and what sums of them may come to.
struct extent_t {
    double quantum = HUGE_VAL, sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
    void add(double value) {
        if (value != 0 && std::isfinite(value)) quantum = std::min(quantum, quantum_of(value));
        sum += std::fabs(value);
        least = std::min(least, value);
        most = std::max(most, value);
    }
    // Of the values, or of how far they lie from any of them.
    bool has_exact_sum(double count) const {
        return std::max(sum, count * (most - least)) <= f32_integers * quantum;
    }
    // Of squares about the mean, or about any of the values, which lie at most twice as far off.
    bool has_exact_squares(double mean, double count) const {
        if (mean != static_cast<float>(mean)) return false;
        const double unit = mean != 0 ? std::min(quantum, quantum_of(mean)) : quantum;
        const double range = (most - least) / unit;
        return std::isinf(unit) || range * range * count <= f32_integers;
    }
};

} // namespace

statistics_t statistics_of(const population_t &population) {
    statistics_t statistics;
    if (population.count == 0) return statistics;
    const auto count = static_cast<double>(population.count);
    extent_t extent;
    for (dim_t i = 0; i < population.count; ++i) extent.add(population.values[i]);
    const double distinct = values_between(population.type, extent.least, extent.most);
    statistics.has_exact_mean = !population.is_rms && extent.has_exact_sum(count);
    if (!population.is_rms) {
        running_sum_t sum(distinct);
        for (dim_t i = 0; i < population.count; ++i) sum.add(population.values[i]);
        statistics.mean = {sum.sum() / count, sum.tolerance() / count};
        if (statistics.has_exact_mean) statistics.mean.tolerance = 0;
        // The mean itself is an f32 number, divided and stored.
        const double mean = statistics.mean.value;
        const bool is_stored_as_it_is =
                statistics.has_exact_mean && mean == static_cast<float>(mean);
        if (!is_stored_as_it_is) statistics.mean.tolerance += 2 * u * std::fabs(mean);
    }
    const double mean = statistics.mean.value;
    running_sum_t squares(distinct);
    for (dim_t i = 0; i < population.count; ++i) {
        const double centred = population.values[i] - mean;
        squares.add(centred * centred);
    }
    statistics.has_exact_variance =
            statistics.has_exact_mean && extent.has_exact_squares(mean, count);
    statistics.variance.value = squares.sum() / count;
    // A mean that is off by d adds d^2, and no more, to what is summed about it.
    const double off = statistics.mean.tolerance;
    if (!statistics.has_exact_variance)
        statistics.variance.tolerance = squares.tolerance() / count + off * off;
    statistics.variance.tolerance += 2 * u * statistics.variance.value;
    return statistics;
}

normalizer_t::normalizer_t(const statistics_t &statistics, double epsilon)
    : mean_(statistics.mean)
    , reciprocal_(1 / std::sqrt(statistics.variance.value + epsilon))
    // Half of the variance's relative error, and the roundings of sum, root, quotient and products.
    , relative_(0.5 * statistics.variance.tolerance * reciprocal_ * reciprocal_ + 8 * u) {}

estimate_t normalizer_t::forward(double src, double scale, double shift) const {
    const double product = scale * normalized(src);
    return {product + shift, std::fabs(scale) * reciprocal_ * mean_.tolerance
                                     + relative_ * std::fabs(product) + 2 * u * std::fabs(shift)};
}

void src_gradient_t::add(double src, double g) {
    ++count_;
    if (terms_ == terms_t::none) return;
    if (terms_ == terms_t::average_and_slope) plain_.add(g);
    weighted_.add(g * normalizer_.normalized(src));
}

void src_gradient_t::end_sums() {
    const auto count = static_cast<double>(count_);
    average_ = {plain_.sum() / count, plain_.tolerance() / count};
    slope_ = {weighted_.sum() / count, weighted_.tolerance() / count};
}

estimate_t src_gradient_t::of(double src, double g) const {
    const double r = normalizer_.reciprocal_deviation(), x = normalizer_.normalized(src);
    const double gradient = r * (g - average_.value - x * slope_.value);
    const double inputs = average_.tolerance + std::fabs(x) * slope_.tolerance;
    const double roundings =
            4 * std::fabs(g) + 2 * std::fabs(average_.value) + 8 * std::fabs(x * slope_.value);
    return {gradient, r * (inputs + u * roundings) + 6 * u * std::fabs(gradient)};
}

} // namespace benchdnn::normalization
