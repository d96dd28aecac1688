// SPDX-License-Identifier: Apache-2.0
// The values of src and diff_dst of a normalization.
#include "normalization/src_values.hpp"

#include <algorithm>
#include <cmath>

#include "common/tensor/data_type.hpp"

namespace benchdnn::normalization {

namespace {

using position_t = src_kind_t::position_t;

constexpr double f32_integers = 0x1p24; // up to here f32 holds every integer

// The largest offset leaves a value, and an f32 sum of all values, a few significant bits of the
// spread; without them, all terms of a sum would be rounded alike.
double offset_in_spreads(dnnl_data_type_t type, src_kind_t kind, dim_t count) {
    const double value_fits = std::ldexp(1, significand_digits(type) - 4);
    const double sum_fits = f32_integers / 4 / static_cast<double>(std::max<dim_t>(count, 1));
    const double farthest = kind.is_centred ? std::min({1000., value_fits, sum_fits}) : 2;
    switch (kind.position) {
    case position_t::off_zero: return std::min(4., farthest);
    case position_t::far_off_zero: return farthest;
    default: return 0;
    }
}

bool wants_exact(src_kind_t kind) {
    return kind.position == position_t::exact || kind.position == position_t::exact_about_zero;
}

} // namespace

src_values_t::src_values_t(dnnl_data_type_t type, src_kind_t kind, uint64_t seed, dim_t count)
    : type_(type)
    , is_exact_(wants_exact(kind) && !is_integer_type(type) && count > 0 && count <= 1 << 22)
    , count_(count)
    , offset_(offset_in_spreads(type, kind, count))
    , noise_(seed) {
    if (!is_exact_) return;
    // Sums of squares about any of the values, which are up to two steps apart, and sums of the
    // values.
    const auto n = static_cast<double>(count);
    const double digits = std::min(significand_digits(type), significand_digits(dnnl_f32));
    const double most = std::min(std::ldexp(1, static_cast<int>(digits)), f32_integers / n);
    largest_step_ = std::floor(std::min(std::sqrt(f32_integers / (4 * n)), most / 2));
    largest_step_ = std::max(1., largest_step_);
    if (kind.position == position_t::exact_about_zero) return;
    largest_mean_ = std::max(0., std::floor(std::min(8 * largest_step_, most - largest_step_)));
}

src_values_t::level_t src_values_t::exact_level(dim_t population) const {
    const double unit = std::ldexp(1, static_cast<int>(population % 3) - std::ilogb(largest_step_));
    const double mean =
            std::nearbyint(largest_mean_ * (static_cast<double>(population * 5 % 13) - 6) / 6);
    return {unit * mean, unit * largest_step_};
}

src_values_t::level_t src_values_t::level(dim_t population) const {
    if (is_exact_) return exact_level(population);
    // 7, 13 and 17: no block size is a multiple of their product.
    const double shifted = static_cast<double>(population * 5 % 13) / 13 - 0.5;
    const double widened = 0.5 + static_cast<double>(population * 3 % 7) / 7;
    if (type_ == dnnl_u8) return {128 + 40 * shifted, 60 + 40 * widened};
    if (type_ == dnnl_s8) return {40 * shifted, 40 + 40 * widened};
    if (type_ == dnnl_s32) return {4000 * shifted, 1000 * widened};
    const double sign = population * 5 % 17 < 8 ? -1 : 1;
    return {(sign * offset_ + shifted) * widened, 1.7 * widened};
}

double src_values_t::deviation(dim_t population, dim_t index) const {
    if (!is_exact_) return noise_(population * count_ + index);
    // The deviations of two neighbours cancel; a single remaining element is the mean.
    const bool is_second = index % 2 == 1;
    if (!is_second && index + 1 == count_) return 0;
    const double x = noise_(population * count_ + (index - is_second));
    const double step = 1 + std::floor(std::fabs(x) * largest_step_ * 0.999999);
    return ((x < 0) != is_second ? -step : step) / largest_step_;
}

double src_values_t::operator()(dim_t population, dim_t index) const {
    const level_t own = level(population);
    return own.center + own.spread * deviation(population, index);
}

double diff_dst_values_t::operator()(dim_t population, dim_t index) const {
    const double size = 0.5 + static_cast<double>(population * 2 % 11) / 11;
    return size
           * (0.2 + 0.3 * src_.deviation(population, index)
                   + 0.6 * noise_(population * count_ + index));
}

given_statistics_t statistics_to_give(const statistics_t &own, bool global) {
    const double mean = own.mean.value, variance = own.variance.value;
    if (!global) return {mean, variance};
    return {mean + 0.25 * std::sqrt(variance), 1.5 * variance + 0.05};
}

} // namespace benchdnn::normalization
