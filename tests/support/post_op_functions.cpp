// SPDX-License-Identifier: Apache-2.0
// The functions of post-ops in long double. Post-ops compute in f32, whatever the data.
#include "support/post_op_functions.hpp"

#include <algorithm>
#include <cmath>

#include "support/data_type.hpp"

namespace kiln::test {

namespace {

long double logistic(long double x) { return 1 / (1 + std::exp(-x)); }
long double soft_relu(long double x) { return x > 40 ? x : std::log1p(std::exp(x)); }
long double hard_sigmoid(long double x) { return std::clamp(x, 0.0L, 1.0L); }

long double eltwise_at(dnnl_alg_kind_t alg, long double alpha, long double beta, long double x) {
    constexpr long double pi = 3.14159265358979323846264338327950288L;
    switch (alg) {
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
    case dnnl_eltwise_hardsigmoid: return hard_sigmoid(alpha * x + beta);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic(x);
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return std::exp(x);
    case dnnl_eltwise_gelu_tanh:
        return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715L * x * x * x)));
    case dnnl_eltwise_gelu_erf: return x / 2 * (1 + std::erf(x / std::sqrt(2.0L)));
    case dnnl_eltwise_swish: return x * logistic(alpha * x);
    case dnnl_eltwise_log: return std::log(x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return std::max(alpha, std::min(beta, x));
    case dnnl_eltwise_pow: return alpha * std::pow(x, beta);
    case dnnl_eltwise_round: return std::nearbyint(x);
    case dnnl_eltwise_mish: return x * std::tanh(soft_relu(x));
    case dnnl_eltwise_hardswish: return x * hard_sigmoid(alpha * x + beta);
    default: throw std::logic_error("the tests do not know this elementwise function");
    }
}

long double binary_at(dnnl_alg_kind_t alg, long double x, long double y) {
    switch (alg) {
    case dnnl_binary_add: return x + y;
    case dnnl_binary_sub: return x - y;
    case dnnl_binary_mul: return x * y;
    case dnnl_binary_div: return x / y;
    case dnnl_binary_max: return std::max(x, y);
    case dnnl_binary_min: return std::min(x, y);
    case dnnl_binary_ge: return x >= y;
    case dnnl_binary_gt: return x > y;
    case dnnl_binary_le: return x <= y;
    case dnnl_binary_lt: return x < y;
    case dnnl_binary_eq: return x == y;
    case dnnl_binary_ne: return x != y;
    default: throw std::logic_error("the tests do not know this binary function");
    }
}

} // namespace

// What a few roundings of the result, of the argument, or of numbers near 1 (1 + tanh, exp - 1)
// cost in f32, or where the roundoff is that of double, there.
interval_t eltwise(
        dnnl_alg_kind_t alg, float alpha, float beta, const interval_t &x, long double roundoff) {
    const auto result = x.map([&](long double at) { return eltwise_at(alg, alpha, beta, at); });
    if (alg == dnnl_eltwise_round) return result;
    const long double size = 1 + result.size() + x.size();
    return result.widened(8 * roundoff * size);
}

bool has_short_form(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd:
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_gelu_erf:
    case dnnl_eltwise_swish:
    case dnnl_eltwise_mish: return true;
    default: return false;
    }
}

interval_t before_rounding(
        const interval_t &result, dnnl_alg_kind_t alg, dnnl_data_type_t rounded_to) {
    constexpr long double short_form = 0x1p-13L;
    const bool has_16_bits = rounded_to == dnnl_bf16 || rounded_to == dnnl_f16;
    return has_16_bits && has_short_form(alg) ? result.widened(short_form * result.size()) : result;
}

interval_t binary(dnnl_alg_kind_t alg, const interval_t &x, long double y) {
    const auto result = x.map([&](long double at) { return binary_at(alg, at, y); });
    const bool rounds = alg == dnnl_binary_add || alg == dnnl_binary_sub || alg == dnnl_binary_mul
                        || alg == dnnl_binary_div;
    if (!rounds) return result;
    return result.widened(unit_roundoff(dnnl_f32) * (result.size() + x.size()));
}

interval_t prelu(const interval_t &x, long double weight, long double roundoff) {
    const auto result = x.map([&](long double at) { return at > 0 ? at : at * weight; });
    const long double across = x.low < 0 && x.high > 0 ? x.high - x.low : 0; // the corner at 0
    return result.widened(roundoff * result.size() + across);
}

} // namespace kiln::test
