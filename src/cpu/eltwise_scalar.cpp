// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one value in double arithmetic, and the table that names them.
// Comparisons are false for NaN, and the branch that is taken then returns a NaN.
#include "cpu/eltwise_scalar.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/memory/data_type.hpp"

namespace kiln {

namespace {

// The product of x and a factor in [0, 1] that goes to 0 faster than x grows. Where the factor is
// 0, the product is 0, even for infinite x.
double gated(double x, double gate) { return gate == 0 ? std::copysign(0.0, x) : x * gate; }

double relu(double x, double alpha) {
    if (x > 0) return x;
    return alpha == 0 && x <= 0 ? 0 : alpha * x;
}

double elu(double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }

// In double e^-x overflows only where the result is zero in float as well.
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// The exponential is called with non-positive arguments only; the larger part is added outside it.
double soft_plus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

double soft_relu(double x, double alpha) { return soft_plus(alpha * x) / alpha; }

double swish(double x, double alpha) { return gated(x, logistic(alpha * x)); }

// (1 + tanh(g)) / 2 is logistic(2g), which does not cancel where tanh is close to -1.
double gelu_tanh(double x) {
    const double root = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / pi)
    return gated(x, logistic(2 * root * (x + 0.044715 * x * x * x)));
}

// 1 + erf(v) is erfc(-v), which does not cancel where erf is close to -1.
double gelu_erf(double x) { return gated(x, 0.5 * std::erfc(-x / std::numbers::sqrt2)); }

// tanh(log(1 + e^x)) as a ratio of polynomials in e^x, or in e^-x, whichever is smaller than 1.
double mish(double x) {
    const double small = std::exp(-std::fabs(x));
    const double part = x > 0 ? 1 + 2 * small : small * (small + 2);
    const double rest = x > 0 ? 2 * small * small : 2;
    return gated(x, part / (part + rest));
}

double clip(double x, double lowest, double highest) {
    const double raised = x <= lowest ? lowest : x;
    return raised >= highest ? highest : raised;
}

double hardsigmoid(double x, double alpha, double beta) { return clip(alpha * x + beta, 0, 1); }

double hardswish(double x, double alpha, double beta) {
    return gated(x, hardsigmoid(x, alpha, beta));
}

double round(double x) {
    constexpr double all_integers_from = 0x1p23; // where floats have no fraction left
    if (!(std::fabs(x) < all_integers_from)) return x;
    return std::copysign(static_cast<double>(round_half_even(x)), x);
}

} // namespace

double eltwise_value(dnnl_alg_kind_t alg, double x, double alpha, double beta) {
    switch (alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return relu(x, alpha);
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd: return std::tanh(x);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return elu(x, alpha);
    case dnnl_eltwise_square: return x * x;
    case dnnl_eltwise_abs: return std::fabs(x);
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return std::sqrt(x);
    case dnnl_eltwise_linear: return alpha * x + beta;
    case dnnl_eltwise_soft_relu: return soft_relu(x, alpha);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid(x, alpha, beta);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic(x);
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return std::exp(x);
    case dnnl_eltwise_gelu_tanh: return gelu_tanh(x);
    case dnnl_eltwise_swish: return swish(x, alpha);
    case dnnl_eltwise_log: return std::log(x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return clip(x, alpha, beta);
    case dnnl_eltwise_pow: return alpha * std::pow(x, beta);
    case dnnl_eltwise_gelu_erf: return gelu_erf(x);
    case dnnl_eltwise_round: return round(x);
    case dnnl_eltwise_mish: return mish(x);
    case dnnl_eltwise_hardswish: return hardswish(x, alpha, beta);
    default:
        assert(!is_eltwise_alg(alg) && "an algorithm was listed but not written");
        return std::numeric_limits<double>::quiet_NaN();
    }
}

namespace {

// --- Derivatives ---------------------------------------------------------------------------------

double sech_square(double x) { return 1 / (std::cosh(x) * std::cosh(x)); }

// p * (1 - p) for p = logistic(x), which does not cancel where p is close to 1.
double logistic_slope(double x) { return sech_square(x / 2) / 4; }

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

double swish_slope(double x, double alpha) {
    return logistic(alpha * x) + gated(alpha * x, logistic_slope(alpha * x));
}

double gelu_tanh_slope(double x) {
    const double root = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const double u = root * (x + 0.044715 * x * x * x);
    const double slope = root * (1 + 3 * 0.044715 * x * x);
    return logistic(u) + gated(x * slope, logistic_slope(u));
}

double gelu_erf_slope(double x) {
    const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return 0.5 * std::erfc(-x / std::numbers::sqrt2) + gated(x, density);
}

double mish_slope(double x) {
    const double value = std::tanh(soft_plus(x));
    return value + gated(x, logistic(x) * sech_square(soft_plus(x)));
}

// Rounded to float, so that it becomes 0 or infinite for the same x as in kernels.
double hard_gate(double x, double alpha, double beta) {
    return static_cast<double>(static_cast<float>(alpha * x + beta));
}

double hardsigmoid_slope(double x, double alpha, double beta) {
    const double gate = hard_gate(x, alpha, beta);
    return 0 < gate && gate < 1 ? alpha : 0;
}

double hardswish_slope(double x, double alpha, double beta) {
    const double gate = hard_gate(x, alpha, beta);
    return gate <= 0 ? 0 : gate >= 1 ? 1 : 2 * alpha * x + beta;
}

} // namespace

double eltwise_slope(dnnl_alg_kind_t alg, double x, double alpha, double beta) {
    switch (alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return x > 0 ? 1 : alpha;
    case dnnl_eltwise_tanh: return sech_square(x);
    case dnnl_eltwise_tanh_use_dst_for_bwd: return (1 - x) * (1 + x);
    case dnnl_eltwise_elu: return x > 0 ? 1 : alpha * std::exp(x);
    case dnnl_eltwise_elu_use_dst_for_bwd: return x > 0 ? 1 : x + alpha;
    case dnnl_eltwise_square: return 2 * x;
    case dnnl_eltwise_abs: return sign(x);
    case dnnl_eltwise_sqrt: return 0.5 / std::sqrt(x);
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return 0.5 / x;
    case dnnl_eltwise_linear: return alpha;
    case dnnl_eltwise_soft_relu: return logistic(alpha * x);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid_slope(x, alpha, beta);
    case dnnl_eltwise_logistic: return logistic_slope(x);
    case dnnl_eltwise_logistic_use_dst_for_bwd: return x * (1 - x);
    case dnnl_eltwise_exp: return std::exp(x);
    case dnnl_eltwise_exp_use_dst_for_bwd: return x;
    case dnnl_eltwise_gelu_tanh: return gelu_tanh_slope(x);
    case dnnl_eltwise_swish: return swish_slope(x, alpha);
    case dnnl_eltwise_log: return 1 / x;
    case dnnl_eltwise_clip: return alpha < x && x <= beta ? 1 : 0;
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return alpha < x && x < beta ? 1 : 0;
    case dnnl_eltwise_pow: return beta == 0 ? 0 : alpha * beta * std::pow(x, beta - 1);
    case dnnl_eltwise_gelu_erf: return gelu_erf_slope(x);
    case dnnl_eltwise_mish: return mish_slope(x);
    case dnnl_eltwise_hardswish: return hardswish_slope(x, alpha, beta);
    default: return std::numeric_limits<double>::quiet_NaN();
    }
}

float eltwise_derivative(dnnl_alg_kind_t alg, float x, float alpha, float beta) {
    return static_cast<float>(eltwise_slope(alg, x, alpha, beta));
}

float eltwise_fwd(dnnl_alg_kind_t alg, float x, float alpha, float beta) {
    return static_cast<float>(eltwise_value(alg, x, alpha, beta));
}

} // namespace kiln
