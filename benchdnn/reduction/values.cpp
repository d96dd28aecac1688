// SPDX-License-Identifier: Apache-2.0
// What src of a reduction holds.
#include "reduction/values.hpp"

#include <algorithm>
#include <cmath>

#include "common/tensor/data_type.hpp"

namespace benchdnn::reduction {

namespace {

// Results stay below, so that post-ops do not overflow.
double reach_of(dnnl_data_type_t dst) {
    switch (dst) {
    case dnnl_s8:
    case dnnl_u8: return 60;
    case dnnl_f8_e4m3: return 128;
    case dnnl_f16:
    case dnnl_f8_e5m2: return 0x1p13;
    default: return 0x1p20;
    }
}

double span_of(dnnl_data_type_t src, dnnl_data_type_t dst) {
    if (is_integer_type(src)) return src == dnnl_s32 ? 1000 : 100;
    return is_integer_type(dst) ? 40 : 2; // integers tell results apart from 1 on
}

} // namespace

src_values_t::src_values_t(const formula_t &formula, dnnl_data_type_t src, dnnl_data_type_t dst,
        dim_t terms, uint64_t seed)
    : formula_(formula)
    , src_(src)
    , dst_(dst)
    , terms_(static_cast<double>(std::max<dim_t>(terms, 1)))
    , is_unsigned_(src == dnnl_u8 || dst == dnnl_u8)
    , reach_(reach_of(dst))
    , span_(std::min(span_of(src, dst), reach_))
    , noise_(seed)
    , levels_(seed + 1)
    , choices_(seed + 2) {}

double src_values_t::level(dim_t result) const {
    const double x = levels_(result);
    return is_unsigned_ ? 0.25 + 0.75 * std::fabs(x) : x;
}

double src_values_t::settled(double x, dim_t index) const {
    if (!is_integer_type(src_)) return x;
    return std::floor(x + (choices_(index) + 1) / 2);
}

// One term stands out, at a place of its own.
double src_values_t::extreme(dim_t result, dim_t term) const {
    const double center = is_unsigned_ ? span_ / 2 : 0;
    const double half = is_unsigned_ ? span_ / 4 : span_ / 2;
    const auto index = result * static_cast<dim_t>(terms_) + term;
    const double side = formula_.algorithm == dnnl_reduction_max ? 1 : -1;
    const auto peak = static_cast<dim_t>((choices_(result) + 1) / 2 * terms_);
    if (term == std::min(peak, static_cast<dim_t>(terms_) - 1))
        return center + side * half * (1.2 + 0.6 * std::fabs(level(result)));
    return center + half * noise_(index);
}

// Sums and means: about a mean value that differs between results.
double src_values_t::addend(dim_t result, dim_t term) const {
    const bool is_mean = formula_.algorithm == dnnl_reduction_mean;
    const double center =
            level(result) * (is_mean ? span_ / 2 : std::min(reach_ / terms_, span_) / 2);
    double size = is_mean ? span_ / 2 : std::min(span_ / 2, reach_ / (4 * std::sqrt(terms_)));
    if (src_ == dnnl_u8) size = std::min(size, center);
    const auto index = result * static_cast<dim_t>(terms_) + term;
    return settled(center + size * noise_(index), index);
}

// Some factors change the magnitude, the others are 1 or -1: in whatever order they are multiplied,
// no product leaves f32's normal values.
double src_values_t::factor(dim_t result, dim_t term) const {
    const auto index = result * static_cast<dim_t>(terms_) + term;
    const bool is_integer = is_integer_type(src_) || is_integer_type(dst_);
    const double changes = std::min(24., std::log2(reach_)) / (is_integer ? 2 : 1);
    const double sign = is_unsigned_ || noise_(index) < 0 ? 1 : -1;
    if ((choices_(index) + 1) / 2 * terms_ >= changes) return sign;
    const double chosen = noise_(index + 1);
    if (is_integer_type(src_)) return sign * (chosen < 0.3 ? 2 : 3);
    if (is_integer) return sign * (chosen < -0.3 ? 1.5 : chosen < 0.4 ? 2 : 3);
    return sign * (chosen < -0.5 ? 0.5 : chosen < 0 ? 0.75 : chosen < 0.5 ? 1.5 : 2);
}

// The sum of the powers is about terms * size^p / (p + 1).
double src_values_t::norm_term(dim_t result, dim_t term) const {
    const double p = std::max(formula_.p, 1.);
    const bool is_power = formula_.algorithm == dnnl_reduction_norm_lp_power_p_max
                          || formula_.algorithm == dnnl_reduction_norm_lp_power_p_sum;
    const double most = std::min(is_power ? reach_ : std::pow(reach_, p), 0x1p60);
    const double size = std::min(span_, std::pow(most * (p + 1) / terms_, 1 / p));
    const double own = size * (0.6 + 0.4 * std::fabs(levels_(result)));
    return own * noise_(result * static_cast<dim_t>(terms_) + term);
}

double src_values_t::operator()(dim_t result, dim_t term) const {
    switch (formula_.algorithm) {
    case dnnl_reduction_max:
    case dnnl_reduction_min: return extreme(result, term);
    case dnnl_reduction_mul: return factor(result, term);
    case dnnl_reduction_sum:
    case dnnl_reduction_mean: return addend(result, term);
    default: return norm_term(result, term);
    }
}

} // namespace benchdnn::reduction
