// SPDX-License-Identifier: Apache-2.0
// The steps by which attributes change one element.
#include "common/attributes/quantization_reference.hpp"

#include <algorithm>
#include <cmath>

#include "common/tensor/data_type.hpp"

namespace benchdnn::quantization {

namespace {

bool fits_f32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

double roundoff(double value) { return std::isfinite(value) ? f32_roundoff * std::fabs(value) : 0; }

// The result of one operation; tolerance: what its operands contribute.
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

estimate_t loaded(double x) { return computed(x, 0); }

estimate_t shifted(estimate_t x, double by) { return computed(x.value + by, x.tolerance); }

estimate_t scaled(estimate_t x, double scale) {
    return computed(x.value * scale, x.tolerance * std::fabs(scale));
}

estimate_t divided(estimate_t x, double scale) {
    estimate_t quotient = computed(x.value / scale, x.tolerance / std::fabs(scale));
    // The reciprocal may be rounded first, on its own or as a factor of the source scale.
    if (!is_power_of_two(scale)) quotient.tolerance += 3 * roundoff(quotient.value);
    return quotient;
}

estimate_t accumulated(estimate_t x, double scale, double prior) {
    const estimate_t term = scaled(loaded(prior), scale);
    // The product is rounded on its own, so its error counts even where the sum cancels.
    return computed(x.value + term.value, x.tolerance + term.tolerance);
}

estimate_t saturated_as_f32(estimate_t x) {
    constexpr double greatest = 0x1.fffffep30;
    if (!(x.value > greatest)) return x;
    const double value = std::min(x.value, 0x1p31);
    return {value, x.tolerance + value - greatest};
}

estimate_t rounded_at_random(estimate_t x, dnnl_data_type_t type) {
    if (!std::isfinite(x.value)) return x;
    double least = 0x1p-14, greatest = 57344; // f8_e5m2
    if (type == dnnl_bf16) least = 0x1p-126, greatest = 0x1.fep127;
    if (type == dnnl_f16) greatest = 65504;
    if (type == dnnl_f8_e4m3) least = 0x1p-6, greatest = 448;
    const double value = std::clamp(x.value, -greatest, greatest), size = std::fabs(value);
    if (size - x.tolerance < least) return {value, x.tolerance + least};
    // The ends of an interval of one unit, rounded to nearest, are the neighbours of the value. The
    // greatest value has none beyond it.
    const double unit = std::ldexp(1.0, std::ilogb(size) + 1 - significand_digits(type));
    const double half = unit / 2 * (1 - 0x1p-20);
    return {value, std::min(x.tolerance + half, greatest - size + half)};
}

} // namespace benchdnn::quantization
