// SPDX-License-Identifier: Apache-2.0
// The steps of a reorder that computes, for one element.
#include "reorder/reference.hpp"

#include <algorithm>
#include <cmath>

namespace benchdnn::reorder {

namespace {

bool fits_f32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

double roundoff(double value) { return std::isfinite(value) ? f32_roundoff * std::fabs(value) : 0; }

// The value of one operation, whose operands brought the given tolerance along.
estimate_t computed(double value, double tolerance) {
    if (std::isnan(value) || std::isinf(value)) return {value, 0};
    const bool is_exact = tolerance == 0 && fits_f32(value);
    return {value, tolerance + (is_exact ? 0 : roundoff(value))};
}

bool is_power_of_two(double value) {
    int exponent;
    return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

} // namespace

estimate_t loaded(double src) { return computed(src, 0); }

estimate_t shifted(estimate_t x, double by) { return computed(x.value + by, x.tolerance); }

estimate_t scaled(estimate_t x, double scale) {
    return computed(x.value * scale, x.tolerance * std::fabs(scale));
}

estimate_t divided(estimate_t x, double scale) {
    estimate_t quotient = computed(x.value / scale, x.tolerance / std::fabs(scale));
    // The reciprocal may be rounded before, also as a part of the scale that was applied before.
    if (!is_power_of_two(scale)) quotient.tolerance += 3 * roundoff(quotient.value);
    return quotient;
}

estimate_t accumulated(estimate_t x, double scale, double prior) {
    const estimate_t term = scaled(loaded(prior), scale);
    // The product or the sum alone may have been rounded: what is added may cancel.
    return computed(x.value + term.value, x.tolerance + term.tolerance);
}

estimate_t saturated_as_f32(estimate_t x) {
    constexpr double greatest = 0x1.fffffep30;
    if (!(x.value > greatest)) return x;
    const double value = std::min(x.value, 0x1p31);
    return {value, x.tolerance + value - greatest};
}

} // namespace benchdnn::reorder
