// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise algorithms.

#include "cpu/x64/jit/math/eltwise.hpp"

#include <cassert>

#include "common/attributes/alg_kind.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation_tables.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

/// x = x > 0 ? 1 : the result of the instructions that `write` emits on x
template <typename write_t>
void one_above_zero(generator_t &g, const Xmm &x, const write_t &write) {
    const lane_condition_t is_above(g, x, comparison_t::gt, g.constant(0));
    write();
    is_above.select(x, g.constant(1));
}

/// x = low < x && x `below` high ? inside : 0, where `below` is lt or le
void inside(generator_t &g, const Xmm &x, float low, comparison_t below, float high, float inside) {
    const vec_t result = g.vec("result");
    g.broadcast(result, inside);
    lane_condition_t(g, x, comparison_t::gt, g.constant(low)).keep(result);
    lane_condition_t(g, x, below, g.constant(high)).keep(result);
    g.vmovaps(x, *result);
}

/// x = factor * e / (1 + e)^2 with e = e^-|rate * x|
void bell(generator_t &g, const Xmm &x, float rate, float factor) {
    g.vmulps(x, x, g.constant(rate));
    g.vorps(x, x, g.constant_bits(sign_bit));
    exp_of_non_positive(g, x);
    const vec_t square = g.vec("square");
    g.vaddps(square, x, g.constant(1));
    g.vmulps(square, square, *square);
    g.vdivps(x, x, *square);
    if (factor != 1) g.vmulps(x, x, g.constant(factor));
}

void magnitude(generator_t &g, const Xmm &x) {
    const vec_t sign = g.vec("sign");
    g.vandps(sign, x, g.constant_bits(sign_bit));
    g.vorps(sign, sign, g.constant(1));
    lane_condition_t(g, x, comparison_t::eq, g.constant(0)).select(sign, g.constant(0));
    lane_condition_t(g, x, comparison_t::ne, x).select(sign, g.constant(0));
    g.vmovaps(x, *sign);
}

void elu(generator_t &g, const Xmm &x, float alpha) {
    one_above_zero(g, x, [&] {
        exp(g, x);
        g.vmulps(x, x, g.constant(alpha));
    });
}

void elu_by_dst(generator_t &g, const Xmm &x, float alpha) {
    one_above_zero(g, x, [&] { g.vaddps(x, x, g.constant(alpha)); });
}

/// 1 - x^2
void tanh_by_dst(generator_t &g, const Xmm &x) {
    const vec_t difference = g.vec("difference");
    g.broadcast(difference, 1);
    g.vfnmadd231ps(difference, x, x);
    g.vmovaps(x, *difference);
}

/// x * (1 - x)
void logistic_by_dst(generator_t &g, const Xmm &x) {
    const vec_t rest = g.vec("1 - x");
    g.broadcast(rest, 1);
    g.vsubps(rest, rest, x);
    g.vmulps(x, x, *rest);
}

/// x = p * (1 + slope * (1 - p)) with p = logistic(u). u becomes undefined.
void gate(generator_t &g, const Xmm &x, const Xmm &u, const Xmm &slope) {
    g.vxorps(u, u, g.constant_bits(sign_bit));
    exp(g, u);
    g.vaddps(u, u, g.constant(1));
    divide(g, 1, u);
    const vec_t rest = g.vec("1 - p");
    g.broadcast(rest, 1);
    g.vsubps(rest, rest, u);
    g.vfmadd213ps(rest, slope, g.constant(1));
    g.vmulps(x, rest, u);
}

// With p = logistic(alpha * x): p + alpha * x * p * (1 - p).
void swish(generator_t &g, const Xmm &x, float alpha) {
    constexpr float closed = 208; // beyond it, p is 0 or 1
    g.vmulps(x, x, g.constant(alpha));
    clamp(g, x, -closed, closed);
    const vec_t u = g.vec("u");
    g.vmovaps(u, x);
    gate(g, x, u, x);
}

// With u = x * (c0 + c1 * x^2), p = logistic(u): p + x * u' * p * (1 - p).
void gelu_tanh(generator_t &g, const Xmm &x) {
    constexpr float c0 = 0x1.988454p0f, c1 = 0x1.2444f2p-4f, closed = 13.9f;
    clamp(g, x, -closed, closed);
    const vec_t u = g.vec("u");
    const vec_t slope = g.vec("x * u'");
    g.vmulps(slope, x, x);
    g.broadcast(u, c0);
    g.vfmadd231ps(u, slope, g.constant(c1));
    g.vmulps(u, u, x);
    g.vmulps(slope, slope, g.constant(3 * c1));
    g.vaddps(slope, slope, g.constant(c0));
    g.vmulps(slope, slope, x);
    gate(g, x, u, slope);
}

// With e = e^x and n = e * (e + 2): n / (n + 2) + 4 * x * e * (1 + e) / (n + 2)^2.
void mish(generator_t &g, const Xmm &x) {
    constexpr float lowest = -104, highest = 20; // beyond them it is 0 or 1
    clamp(g, x, lowest, highest);
    const vec_t power = g.vec("e");
    g.vmovaps(power, x);
    exp(g, power);
    const vec_t numerator = g.vec("n");
    const vec_t denominator = g.vec("n + 2");
    g.vaddps(numerator, power, g.constant(2));
    g.vmulps(numerator, numerator, *power);
    g.vaddps(denominator, numerator, g.constant(2));
    g.vfmadd213ps(power, power, *power); // e^2 + e
    g.vmulps(x, x, *power);
    g.vmulps(x, x, g.constant(4));
    g.vdivps(x, x, *denominator);
    g.vaddps(x, x, *numerator);
    g.vdivps(x, x, *denominator);
}

void hardsigmoid(generator_t &g, const Xmm &x, float alpha, float beta) {
    linear(g, x, alpha, beta);
    inside(g, x, 0, comparison_t::lt, 1, alpha);
}

void hardswish(generator_t &g, const Xmm &x, float alpha, float beta) {
    const vec_t gate = g.vec("gate");
    g.vmovaps(gate, x);
    linear(g, gate, alpha, beta);
    linear(g, x, 2 * alpha, beta);
    lane_condition_t(g, gate, comparison_t::ge, g.constant(1)).select(x, g.constant(1));
    lane_condition_t(g, gate, comparison_t::le, g.constant(0)).select(x, g.constant(0));
}

void pow(generator_t &g, const Xmm &x, float alpha, float beta) {
    if (beta == 0)
        g.set_zero(x);
    else
        scaled_pow(g, x, alpha * beta, beta - 1);
}

} // namespace

bool can_derive(alg_kind_t alg) { return is_eltwise_alg(alg) && alg != dnnl_eltwise_round; }

void derivative(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xmm &vec) {
    const Xmm x = g.full(vec);
    switch (alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd:
        return one_above_zero(g, x, [&] { g.broadcast(x, alpha); });
    case dnnl_eltwise_tanh: return bell(g, x, 2, 4);
    case dnnl_eltwise_tanh_use_dst_for_bwd: return tanh_by_dst(g, x);
    case dnnl_eltwise_elu: return elu(g, x, alpha);
    case dnnl_eltwise_elu_use_dst_for_bwd: return elu_by_dst(g, x, alpha);
    case dnnl_eltwise_square: return g.vaddps(x, x, x);
    case dnnl_eltwise_abs: return magnitude(g, x);
    case dnnl_eltwise_sqrt: g.vsqrtps(x, x); [[fallthrough]];
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return divide(g, 0.5f, x);
    case dnnl_eltwise_linear: return g.broadcast(x, alpha);
    case dnnl_eltwise_soft_relu: g.vmulps(x, x, g.constant(alpha)); return logistic(g, x);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid(g, x, alpha, beta);
    case dnnl_eltwise_logistic: return bell(g, x, 1, 1);
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic_by_dst(g, x);
    case dnnl_eltwise_exp: return exp(g, x);
    case dnnl_eltwise_exp_use_dst_for_bwd: return;
    case dnnl_eltwise_gelu_tanh: return gelu_tanh(g, x);
    case dnnl_eltwise_swish: return swish(g, x, alpha);
    case dnnl_eltwise_log: return divide(g, 1, x);
    case dnnl_eltwise_clip: return inside(g, x, alpha, comparison_t::le, beta, 1);
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
        return inside(g, x, alpha, comparison_t::lt, beta, 1);
    case dnnl_eltwise_pow: return pow(g, x, alpha, beta);
    case dnnl_eltwise_gelu_erf: return gelu_erf_derivative(g, x);
    case dnnl_eltwise_mish: return mish(g, x);
    case dnnl_eltwise_hardswish: return hardswish(g, x, alpha, beta);
    default: assert(!"an elementwise algorithm with a derivative");
    }
}

} // namespace kiln::x64::jit
