// SPDX-License-Identifier: Apache-2.0
// One result of a reduction from its terms.
#include "reduction/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/tensor/data_type.hpp"

namespace benchdnn::reduction {

namespace {

constexpr double u = f32_roundoff;

bool is_power_of_two(double value) {
    int exponent;
    return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

double power(double x, double p) {
    if (p == 1) return std::fabs(x);
    return p == 2 ? x * x : std::pow(std::fabs(x), p);
}

// The relative error of x^p by a logarithm and an exponential in f32, in units of the roundoff.
double power_error(double x, double p) {
    const double exponent = p * std::log(std::fabs(x));
    return std::isfinite(exponent) ? 32 * (1 + std::fabs(exponent)) : 0;
}

} // namespace

void accumulator_t::add(estimate_t x) {
    ++count_;
    has_nan_ |= std::isnan(x.value);
    least_ = std::min(least_, x.value);
    most_ = std::max(most_, x.value);
    largest_tolerance_ = std::max(largest_tolerance_, x.tolerance);
    switch (formula_.algorithm) {
    case dnnl_reduction_max:
    case dnnl_reduction_min: return;
    case dnnl_reduction_mul: return multiply(x);
    case dnnl_reduction_sum:
    case dnnl_reduction_mean: return add_to_sum(x);
    default: break;
    }
    const double p = formula_.p;
    estimate_t term{power(x.value, p), 0};
    if (x.tolerance > 0) term.tolerance = power(std::fabs(x.value) + x.tolerance, p) - term.value;
    if (p != 1 && p != 2) term.tolerance += u * power_error(x.value, p) * term.value;
    add_to_sum(term);
}

void accumulator_t::add_to_sum(estimate_t term) {
    sum_.add(term.value);
    extent_.add(term.value);
    term_errors_ += term.tolerance;
}

void accumulator_t::multiply(estimate_t x) {
    const estimate_t before = product_;
    product_.value = before.value * x.value;
    product_.tolerance = std::fabs(before.value) * x.tolerance
                         + std::fabs(x.value) * before.tolerance + before.tolerance * x.tolerance;
    if (x.tolerance > 0 || !is_power_of_two(x.value)) ++inexact_factors_;
}

estimate_t accumulator_t::sum(dnnl_data_type_t type) const {
    running_sum_t sum = sum_;
    if (type != dnnl_data_type_undef && count_ > 0)
        sum.set_distinct_terms(values_between(type, least_, most_));
    const bool is_exact = term_errors_ == 0 && extent_.fits_f32(extent_.sum);
    return {sum.sum(), is_exact ? 0 : sum.tolerance() + term_errors_};
}

estimate_t accumulator_t::mean(dnnl_data_type_t type) const {
    const estimate_t whole = sum(type);
    const double value = whole.value / count_;
    const bool is_exact = whole.tolerance == 0 && is_power_of_two(count_);
    return {value, whole.tolerance / count_ + (is_exact ? 0 : 2 * u * std::fabs(value))};
}

// Of n factors that are no powers of two, multiplying in any order rounds n - 1 products.
estimate_t accumulator_t::product() const {
    const double roundings = std::max(0., inexact_factors_ - 1);
    return {product_.value, product_.tolerance + 1.01 * u * roundings * std::fabs(product_.value)};
}

estimate_t accumulator_t::norm(dnnl_data_type_t type) const {
    const bool is_power = formula_.algorithm == dnnl_reduction_norm_lp_power_p_max
                          || formula_.algorithm == dnnl_reduction_norm_lp_power_p_sum;
    const bool is_added = formula_.algorithm == dnnl_reduction_norm_lp_sum
                          || formula_.algorithm == dnnl_reduction_norm_lp_power_p_sum;
    const double p = formula_.p, epsilon = formula_.epsilon;
    const auto end = [&](double s) {
        const double bounded = is_added ? std::max(s, 0.) + epsilon : std::max(s, epsilon);
        return is_power ? bounded : std::pow(bounded, 1 / p);
    };
    const estimate_t s = sum(type);
    if (is_power && (!is_added || epsilon == 0)) return mapped(s, end, 0);
    const bool is_root = !is_power && p != 1 && p != 2;
    return mapped(s, end, is_root ? power_error(s.value, 1 / p) + 32 : 4);
}

estimate_t accumulator_t::extreme() const {
    if (has_nan_) return {std::numeric_limits<double>::quiet_NaN(), 0};
    return {formula_.algorithm == dnnl_reduction_max ? most_ : least_, largest_tolerance_};
}

estimate_t accumulator_t::result(dnnl_data_type_t type) const {
    switch (formula_.algorithm) {
    case dnnl_reduction_max:
    case dnnl_reduction_min: return extreme();
    case dnnl_reduction_mul: return product();
    case dnnl_reduction_sum: return sum(type);
    case dnnl_reduction_mean: return mean(type);
    default: return norm(type);
    }
}

} // namespace benchdnn::reduction
