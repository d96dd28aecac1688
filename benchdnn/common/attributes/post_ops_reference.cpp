// SPDX-License-Identifier: Apache-2.0
// Post-operations in double, with their tolerance.
#include "common/attributes/post_ops_reference.hpp"

#include <cmath>

namespace benchdnn {

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double soft_relu(double x) {
    // log(1 + e^x) without overflow for large x and without losing e^x for small x.
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

double clipped(double x, double low, double high) {
    if (std::isnan(x)) return x;
    return std::fmin(std::fmax(x, low), high);
}

bool is_arithmetic(dnnl_alg_kind_t algorithm) {
    switch (algorithm) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_square:
    case dnnl_eltwise_abs:
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd:
    case dnnl_eltwise_linear:
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
    case dnnl_eltwise_round:
    case dnnl_eltwise_hardsigmoid:
    case dnnl_eltwise_hardswish: return true;
    default: return false;
    }
}

// The relative error of a function whose result is rounded to the type.
double error_before(dnnl_data_type_t rounded_to, dnnl_alg_kind_t algorithm) {
    if (rounded_to != dnnl_bf16 && rounded_to != dnnl_f16) return 0;
    switch (algorithm) {
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd:
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_gelu_erf:
    case dnnl_eltwise_swish:
    case dnnl_eltwise_mish: return 0x1p-13;
    default: return 0;
    }
}

} // namespace

double eltwise_value(dnnl_alg_kind_t algorithm, double x, double alpha, double beta) {
    constexpr double sqrt_half = 0.70710678118654752440;
    constexpr double sqrt_2_over_pi = 0.79788456080286535588;
    switch (algorithm) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return x > 0 ? x : alpha * x;
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd: return std::tanh(x);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return x > 0 ? x : alpha * std::expm1(x);
    case dnnl_eltwise_square: return x * x;
    case dnnl_eltwise_abs: return std::fabs(x);
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return std::sqrt(x);
    case dnnl_eltwise_linear: return alpha * x + beta;
    case dnnl_eltwise_soft_relu: return soft_relu(alpha * x) / alpha;
    case dnnl_eltwise_hardsigmoid: return clipped(alpha * x + beta, 0, 1);
    case dnnl_eltwise_hardswish: return x * clipped(alpha * x + beta, 0, 1);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic(x);
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return std::exp(x);
    case dnnl_eltwise_gelu_tanh:
        return 0.5 * x * (1 + std::tanh(sqrt_2_over_pi * x * (1 + 0.044715 * x * x)));
    case dnnl_eltwise_gelu_erf: return 0.5 * x * (1 + std::erf(x * sqrt_half));
    case dnnl_eltwise_swish: return x * logistic(alpha * x);
    case dnnl_eltwise_log: return std::log(x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return clipped(x, alpha, beta);
    case dnnl_eltwise_pow: return alpha * std::pow(x, beta);
    case dnnl_eltwise_round: return std::nearbyint(x);
    case dnnl_eltwise_mish: return x * std::tanh(soft_relu(x));
    default: return std::nan("");
    }
}

double binary_value(dnnl_alg_kind_t algorithm, double x, double operand, bool condition) {
    switch (algorithm) {
    case dnnl_binary_add: return x + operand;
    case dnnl_binary_sub: return x - operand;
    case dnnl_binary_mul: return x * operand;
    case dnnl_binary_div: return x / operand;
    case dnnl_binary_max: return std::isnan(x) ? x : std::fmax(x, operand);
    case dnnl_binary_min: return std::isnan(x) ? x : std::fmin(x, operand);
    case dnnl_binary_ge: return x >= operand;
    case dnnl_binary_gt: return x > operand;
    case dnnl_binary_le: return x <= operand;
    case dnnl_binary_lt: return x < operand;
    case dnnl_binary_eq: return x == operand;
    case dnnl_binary_ne: return x != operand;
    case dnnl_binary_select: return condition ? x : operand;
    default: return std::nan("");
    }
}

estimate_t eltwise_estimate(const post_op_t &op, estimate_t input, dnnl_data_type_t rounded_to) {
    const auto f = [&](double x) { return eltwise_value(op.algorithm, x, op.alpha, op.beta); };
    estimate_t output = mapped(input, f, 4);
    if (!std::isfinite(output.value)) return output;
    const double size = std::fabs(output.value), x = std::fabs(input.value);
    if (is_arithmetic(op.algorithm)) {
        // alpha * x + beta may cancel: the error is relative to its two terms. hardswish multiplies
        // the result by x.
        const double terms = std::fabs(op.alpha * input.value) + std::fabs(op.beta);
        const bool is_linear = op.algorithm == dnnl_eltwise_linear;
        if (is_linear || op.algorithm == dnnl_eltwise_hardsigmoid)
            output.tolerance += 2 * f32_roundoff * terms;
        if (op.algorithm == dnnl_eltwise_hardswish)
            output.tolerance += 2 * f32_roundoff * terms * x;
        return output;
    }
    // Libraries evaluate the other functions by range reduction and a polynomial. The error is a
    // few units in the last place of the result and of intermediate values of order 1, which may be
    // much larger than the result (tanh, gelu, log near 1). The range reduction of an exponential
    // loses log2 |x| bits.
    const bool is_pow = op.algorithm == dnnl_eltwise_pow;
    const double exponent = is_pow ? std::fabs(op.beta * std::log(x)) : x;
    const double growth = std::isfinite(exponent) ? 1 + exponent : 1;
    const bool grows = is_pow || op.algorithm == dnnl_eltwise_exp
                       || op.algorithm == dnnl_eltwise_exp_use_dst_for_bwd;
    // Near 1, a logarithm from a table cancels against the polynomial.
    const double absolute = is_pow ? 0 : op.algorithm == dnnl_eltwise_log ? 64 : 16;
    output.tolerance += f32_roundoff * (32 * size * (grows ? growth : 1) + absolute);
    output.tolerance += error_before(rounded_to, op.algorithm) * size;
    return output;
}

estimate_t binary_estimate(const post_op_t &op, estimate_t input, double operand, bool condition) {
    const auto f = [&](double x) { return binary_value(op.algorithm, x, operand, condition); };
    estimate_t output = mapped(input, f, 4);
    if (op.algorithm == dnnl_binary_add || op.algorithm == dnnl_binary_sub)
        output.tolerance += f32_roundoff * (std::fabs(input.value) + std::fabs(operand));
    return output;
}

estimate_t prelu_estimate(estimate_t input, double weight) {
    return mapped(
            input, [=](double x) { return x > 0 ? x : x * weight; }, 1);
}

} // namespace benchdnn
