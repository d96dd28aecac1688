// SPDX-License-Identifier: Apache-2.0
// Functions, derivatives and their truth in double.

#include "all_floats_rows.hpp"

#include <cmath>

#include "eltwise/eltwise_bounds.hpp"

namespace kiln::test {

namespace {

/// x * f, where f may be 0 for an infinite x.
double times(double x, double f) { return f == 0 && !std::isnan(x) ? std::copysign(0., x) : x * f; }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logistic_slope(double x) { return logistic(x) * logistic(-x); }
double normal(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }
double density(double x) { return std::exp(-0.5 * x * x) * 0.39894228040143267794; }
double soft_plus(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }
double mish_gate(double x) { return std::tanh(std::log1p(std::exp(x))); }

constexpr double root = 0.79788456080286535588, cubic = 0.044715; // sqrt(2 / pi)
double gelu_argument(double x) { return 2 * root * x * (1 + cubic * x * x); }

double exp_of(double x, double, double) { return std::exp(x); }
double log_of(double x, double, double) { return std::log(x); }
double tanh_of(double x, double, double) { return std::tanh(x); }
double logistic_of(double x, double, double) { return logistic(x); }
double gelu_erf(double x, double, double) { return times(x, normal(x)); }
double gelu_tanh(double x, double, double) { return times(x, logistic(gelu_argument(x))); }
double swish(double x, double alpha, double) { return times(x, logistic(alpha * x)); }
double mish(double x, double, double) { return times(x, mish_gate(x)); }
double soft_relu(double x, double alpha, double) { return soft_plus(alpha * x) / alpha; }
double elu(double x, double alpha, double) { return x > 0 ? x : alpha * std::expm1(x); }
double pow_of(double x, double alpha, double beta) { return alpha * std::pow(x, beta); }

double tanh_slope(double x, double, double) { return std::pow(std::cosh(x), -2); }
double logistic_slope(double x, double, double) { return logistic_slope(x); }
double soft_relu_slope(double x, double alpha, double) { return logistic(alpha * x); }
double elu_slope(double x, double alpha, double) { return x > 0 ? 1 : alpha * std::exp(x); }
double log_slope(double x, double, double) { return 1 / x; }
double sqrt_slope(double x, double, double) { return 0.5 / std::sqrt(x); }
double pow_slope(double x, double alpha, double beta) {
    return alpha * beta * std::pow(x, beta - 1);
}
double tanh_slope_by_dst(double y, double, double) { return (1 - y) * (1 + y); }
double logistic_slope_by_dst(double y, double, double) { return y * (1 - y); }
double elu_slope_by_dst(double y, double alpha, double) { return y > 0 ? 1 : y + alpha; }
double sqrt_slope_by_dst(double y, double, double) { return 0.5 / y; }

// Derivatives of x * gate(x): the second terms, x * gate'(x), and the sums with gate(x).
double gelu_erf_term(double x) { return times(x, density(x)); }
double gelu_tanh_term(double x) {
    const double slope = 2 * root * (1 + 3 * cubic * x * x); // of the argument
    const double bell = logistic_slope(gelu_argument(x));
    return bell == 0 && !std::isnan(x) ? 0 : x * slope * bell;
}
double swish_term(double u) { return times(u, logistic_slope(u)); }
double mish_term(double x) {
    const double height = std::cosh(std::log1p(std::exp(x)));
    return times(x, logistic(x) / (height * height));
}
double gelu_erf_slope(double x, double, double) { return normal(x) + gelu_erf_term(x); }
double gelu_tanh_slope(double x, double, double) {
    return logistic(gelu_argument(x)) + gelu_tanh_term(x);
}
double swish_slope(double x, double alpha, double) {
    return logistic(alpha * x) + swish_term(alpha * x);
}
double mish_slope(double x, double, double) { return mish_gate(x) + mish_term(x); }
double gelu_erf_size(double x, double, double) { return normal(x) + std::fabs(gelu_erf_term(x)); }
double gelu_tanh_size(double x, double, double) {
    return logistic(gelu_argument(x)) + std::fabs(gelu_tanh_term(x));
}
double swish_size(double x, double alpha, double) {
    return logistic(alpha * x) + std::fabs(swish_term(alpha * x));
}
double mish_size(double x, double, double) { return mish_gate(x) + std::fabs(mish_term(x)); }

const eltwise_row_t rows[] = {
        {"exp", dnnl_eltwise_exp, 0, 0, exp_of},
        {"log", dnnl_eltwise_log, 0, 0, log_of},
        {"tanh", dnnl_eltwise_tanh, 0, 0, tanh_of},
        {"logistic", dnnl_eltwise_logistic, 0, 0, logistic_of},
        {"gelu_erf", dnnl_eltwise_gelu_erf, 0, 0, gelu_erf},
        {"gelu_tanh", dnnl_eltwise_gelu_tanh, 0, 0, gelu_tanh},
        {"swish, alpha 1", dnnl_eltwise_swish, 1, 0, swish},
        {"swish, alpha 1.702", dnnl_eltwise_swish, 1.702f, 0, swish},
        {"mish", dnnl_eltwise_mish, 0, 0, mish},
        {"soft_relu, alpha 1", dnnl_eltwise_soft_relu, 1, 0, soft_relu},
        {"soft_relu, alpha 0.37", dnnl_eltwise_soft_relu, 0.37f, 0, soft_relu},
        {"elu, alpha 1", dnnl_eltwise_elu, 1, 0, elu},
        {"elu, alpha 0.3", dnnl_eltwise_elu, 0.3f, 0, elu},
        {"pow, beta -0.5", dnnl_eltwise_pow, 1, -0.5f, pow_of},
        {"pow, alpha 0.7, beta 0.5", dnnl_eltwise_pow, 0.7f, 0.5f, pow_of},
        {"pow, alpha 0.7, beta 2", dnnl_eltwise_pow, 0.7f, 2, pow_of},
        {"pow, alpha 0.7, beta 3", dnnl_eltwise_pow, 0.7f, 3, pow_of},
        {"pow, beta -2", dnnl_eltwise_pow, 1, -2, pow_of},
        {"pow, beta 0.333333", dnnl_eltwise_pow, 1, 1.f / 3, pow_of},
        {"pow, alpha -7, beta -0.75", dnnl_eltwise_pow, -7, -0.75f, pow_of},
        {"pow, beta 3.7", dnnl_eltwise_pow, 1, 3.7f, pow_of},
        {"pow, beta 5", dnnl_eltwise_pow, 1, 5, pow_of},
        {"pow, beta -101", dnnl_eltwise_pow, 1, -101, pow_of},
        {"exp'", dnnl_eltwise_exp, 0, 0, exp_of, true},
        {"log'", dnnl_eltwise_log, 0, 0, log_slope, true},
        {"sqrt'", dnnl_eltwise_sqrt, 0, 0, sqrt_slope, true},
        {"tanh'", dnnl_eltwise_tanh, 0, 0, tanh_slope, true},
        {"logistic'", dnnl_eltwise_logistic, 0, 0, logistic_slope, true},
        {"soft_relu', alpha 1", dnnl_eltwise_soft_relu, 1, 0, soft_relu_slope, true},
        {"elu', alpha 1", dnnl_eltwise_elu, 1, 0, elu_slope, true},
        {"elu', alpha 0.3", dnnl_eltwise_elu, 0.3f, 0, elu_slope, true},
        {"pow', beta -0.5", dnnl_eltwise_pow, 1, -0.5f, pow_slope, true},
        {"pow', alpha 0.7, beta 3", dnnl_eltwise_pow, 0.7f, 3, pow_slope, true},
        {"pow', beta 3.7", dnnl_eltwise_pow, 1, 3.7f, pow_slope, true},
        {"gelu_erf'", dnnl_eltwise_gelu_erf, 0, 0, gelu_erf_slope, true, gelu_erf_size},
        {"gelu_tanh'", dnnl_eltwise_gelu_tanh, 0, 0, gelu_tanh_slope, true, gelu_tanh_size, -100},
        {"swish', alpha 1", dnnl_eltwise_swish, 1, 0, swish_slope, true, swish_size, -100},
        {"mish'", dnnl_eltwise_mish, 0, 0, mish_slope, true, mish_size, -120},
        {"tanh' by dst", dnnl_eltwise_tanh_use_dst_for_bwd, 0, 0, tanh_slope_by_dst, true},
        {"logistic' by dst", dnnl_eltwise_logistic_use_dst_for_bwd, 0, 0, logistic_slope_by_dst,
                true},
        {"elu' by dst, alpha 0.3", dnnl_eltwise_elu_use_dst_for_bwd, 0.3f, 0, elu_slope_by_dst,
                true},
        {"sqrt' by dst", dnnl_eltwise_sqrt_use_dst_for_bwd, 0, 0, sqrt_slope_by_dst, true},
};

} // namespace

bool eltwise_row_t::is_by_dst() const {
    return algorithm == dnnl_eltwise_tanh_use_dst_for_bwd
           || algorithm == dnnl_eltwise_logistic_use_dst_for_bwd
           || algorithm == dnnl_eltwise_elu_use_dst_for_bwd
           || algorithm == dnnl_eltwise_sqrt_use_dst_for_bwd;
}

double eltwise_row_t::bound() const {
    return is_derivative ? eltwise_derivative_bound(algorithm) : eltwise_bound(algorithm);
}

std::span<const eltwise_row_t> eltwise_rows() { return rows; }

} // namespace kiln::test
