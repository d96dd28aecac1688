// SPDX-License-Identifier: Apache-2.0
// Elementwise algorithms of the interface: which function each of them is.

#include "cpu/x64/jit/math/eltwise.hpp"

#include <cassert>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation.hpp"
#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

void relu(generator_t &g, const Xmm &x, float alpha) {
    if (alpha == 0) return at_least(g, x, 0);
    const lane_condition_t is_low(g, x, comparison_t::not_gt, g.constant(0));
    is_low.multiply(x, g.constant(alpha), g.vec("product"));
}

} // namespace

// The *_use_dst_for_bwd forms differ in the backward pass only.
void eltwise(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xmm &vec,
        data_type_t rounded_to) {
    const Xmm x = g.full(vec);
    if (has_short_activation(g, alg, alpha, rounded_to))
        return write_short_activation(g, alg, alpha, rounded_to, x);
    switch (alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return relu(g, x, alpha);
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd: return tanh(g, x);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return elu(g, x, alpha);
    case dnnl_eltwise_square: return g.vmulps(x, x, x);
    case dnnl_eltwise_abs: return take_magnitude(g, x);
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return g.vsqrtps(x, x);
    case dnnl_eltwise_linear: return linear(g, x, alpha, beta);
    case dnnl_eltwise_soft_relu: return soft_relu(g, x, alpha);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid(g, x, alpha, beta);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic(g, x);
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return exp(g, x);
    case dnnl_eltwise_gelu_tanh: return gelu_tanh(g, x);
    case dnnl_eltwise_swish: return swish(g, x, alpha);
    case dnnl_eltwise_log: return log(g, x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return clamp(g, x, alpha, beta);
    case dnnl_eltwise_pow: return scaled_pow(g, x, alpha, beta);
    case dnnl_eltwise_gelu_erf: return gelu_erf(g, x);
    case dnnl_eltwise_round: return round_to_integer(g, x, x);
    case dnnl_eltwise_mish: return mish(g, x);
    case dnnl_eltwise_hardswish: return hardswish(g, x, alpha, beta);
    default: assert(!"an elementwise algorithm");
    }
}

} // namespace kiln::x64::jit
