// SPDX-License-Identifier: Apache-2.0
// Normalization of one population, forward and backward, in double.
#include "normalization/reference.hpp"

#include <algorithm>
#include <cmath>

#include "common/tensor/data_type.hpp"
#include "common/tensor/exact_sum.hpp"

namespace benchdnn::normalization {

namespace {

constexpr double u = f32_roundoff;
// Whether the sum of the values is exact, and that of their distances from any of them.
bool has_exact_sum(const extent_t &extent, double count) {
    return extent.fits_f32(std::max(extent.sum, count * (extent.most - extent.least)));
}

// Whether the sum of squares is exact about the mean and about any of the values, which lie at most
// twice as far off.
bool has_exact_squares(const extent_t &extent, double mean, double count) {
    if (mean != static_cast<float>(mean)) return false;
    const double unit = mean != 0 ? std::min(extent.quantum, quantum_of(mean)) : extent.quantum;
    const double range = (extent.most - extent.least) / unit;
    return std::isinf(unit) || range * range * count <= f32_integers;
}

} // namespace

statistics_t statistics_of(const population_t &population) {
    statistics_t statistics;
    if (population.count == 0) return statistics;
    const auto count = static_cast<double>(population.count);
    extent_t extent;
    for (dim_t i = 0; i < population.count; ++i) extent.add(population.values[i]);
    const double distinct = values_between(population.type, extent.least, extent.most);
    statistics.has_exact_mean = !population.is_rms && has_exact_sum(extent, count);
    if (!population.is_rms) {
        running_sum_t sum(distinct);
        for (dim_t i = 0; i < population.count; ++i) sum.add(population.values[i]);
        statistics.mean = {sum.sum() / count, sum.tolerance() / count};
        if (statistics.has_exact_mean) statistics.mean.tolerance = 0;
        // The mean is divided and stored in f32.
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
            statistics.has_exact_mean && has_exact_squares(extent, mean, count);
    statistics.variance.value = squares.sum() / count;
    // A mean that is off by d adds d^2 to the variance about it.
    const double off = statistics.mean.tolerance;
    if (!statistics.has_exact_variance)
        statistics.variance.tolerance = squares.tolerance() / count + off * off;
    statistics.variance.tolerance += 2 * u * statistics.variance.value;
    return statistics;
}

normalizer_t::normalizer_t(const statistics_t &statistics, double epsilon)
    : mean_(statistics.mean)
    , reciprocal_(1 / std::sqrt(statistics.variance.value + epsilon))
    // Half of the relative error of the variance, and the roundings of sum, root, quotient and
    // products.
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
