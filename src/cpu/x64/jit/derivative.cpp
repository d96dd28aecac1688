// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise algorithms: their arithmetic and the table of algorithms.

#include "cpu/x64/jit/derivative.hpp"

#include <cassert>
#include <cmath>
#include <limits>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

/// The arguments of an algorithm's function, with short names for the table.
struct call_t {
    generator_t &g;
    Xbyak::CodeGenerator &a;
    const Xbyak::Xmm &x;
    float alpha;
    float beta;
};

constexpr uint32_t sign_bit = 0x80000000u;

/// x = x > 0 ? 1 : the result of the instructions that `write` emits on x
template <typename write_t> void one_above_zero(const call_t &c, const write_t &write) {
    const lane_condition_t is_above(c.g, c.x, comparison_t::gt, c.g.constant(0));
    write();
    is_above.select(c.x, c.g.constant(1));
}

/// x = low < position && position `below` high ? inside : 0, where `below` is lt or le
void inside(const call_t &c, const Xbyak::Xmm &position, float low, comparison_t below, float high,
        float inside) {
    const vec_t result = c.g.vec("result");
    c.g.broadcast(result, inside);
    lane_condition_t(c.g, position, comparison_t::gt, c.g.constant(low)).keep(result);
    lane_condition_t(c.g, position, below, c.g.constant(high)).keep(result);
    c.a.vmovaps(c.x, *result);
}

/// x = numerator / x
void divide(const call_t &c, float numerator) {
    const vec_t quotient = c.g.vec("quotient");
    c.g.broadcast(quotient, numerator);
    c.a.vdivps(c.x, quotient, c.x);
}

/// x = factor * e / (1 + e)^2 with e = e^-|rate * x|
void bell(const call_t &c, float rate, float factor) {
    c.a.vmulps(c.x, c.x, c.g.constant(rate));
    c.a.vorps(c.x, c.x, c.g.constant_bits(sign_bit));
    exp(c.g, c.x);
    const vec_t square = c.g.vec("square");
    c.a.vaddps(square, c.x, c.g.constant(1));
    c.a.vmulps(square, square, *square);
    c.a.vdivps(c.x, c.x, *square);
    if (factor != 1) c.a.vmulps(c.x, c.x, c.g.constant(factor));
}

void magnitude(const call_t &c) {
    const vec_t sign = c.g.vec("sign");
    c.a.vandps(sign, c.x, c.g.constant_bits(sign_bit));
    c.a.vorps(sign, sign, c.g.constant(1));
    lane_condition_t(c.g, c.x, comparison_t::eq, c.g.constant(0)).select(sign, c.g.constant(0));
    lane_condition_t(c.g, c.x, comparison_t::ne, c.x).select(sign, c.g.constant(0));
    c.a.vmovaps(c.x, *sign);
}

void elu(const call_t &c) {
    one_above_zero(c, [&] {
        exp(c.g, c.x);
        c.a.vmulps(c.x, c.x, c.g.constant(c.alpha));
    });
}

void elu_by_dst(const call_t &c) {
    one_above_zero(c, [&] { c.a.vaddps(c.x, c.x, c.g.constant(c.alpha)); });
}

/// 1 - x^2
void tanh_by_dst(const call_t &c) {
    const vec_t difference = c.g.vec("difference");
    c.g.broadcast(difference, 1);
    c.a.vfnmadd231ps(difference, c.x, c.x);
    c.a.vmovaps(c.x, *difference);
}

/// x * (1 - x)
void logistic_by_dst(const call_t &c) {
    const vec_t rest = c.g.vec("1 - x");
    c.g.broadcast(rest, 1);
    c.a.vsubps(rest, rest, c.x);
    c.a.vmulps(c.x, c.x, *rest);
}

/// x = p * (1 + slope * (1 - p)) with p = logistic(u). u becomes undefined.
void gate(const call_t &c, const Xbyak::Xmm &u, const Xbyak::Xmm &slope) {
    logistic(c.g, u);
    const vec_t rest = c.g.vec("1 - p");
    c.g.broadcast(rest, 1);
    c.a.vsubps(rest, rest, u);
    c.a.vfmadd213ps(rest, slope, c.g.constant(1));
    c.a.vmulps(c.x, rest, u);
}

// With p = logistic(alpha * x): p + alpha * x * p * (1 - p).
void swish(const call_t &c) {
    constexpr float closed = 208; // beyond it, p is 0 or 1
    c.a.vmulps(c.x, c.x, c.g.constant(c.alpha));
    clamp(c.g, c.x, -closed, closed);
    const vec_t u = c.g.vec("u");
    c.a.vmovaps(u, c.x);
    gate(c, u, c.x);
}

// With u = x * (c0 + c1 * x^2), p = logistic(u): p + x * u' * p * (1 - p).
void gelu_tanh(const call_t &c) {
    constexpr float c0 = 0x1.988454p0f, c1 = 0x1.2444f2p-4f, closed = 13.9f;
    clamp(c.g, c.x, -closed, closed);
    const vec_t u = c.g.vec("u");
    const vec_t slope = c.g.vec("x * u'");
    c.a.vmulps(slope, c.x, c.x);
    c.g.broadcast(u, c0);
    c.a.vfmadd231ps(u, slope, c.g.constant(c1));
    c.a.vmulps(u, u, c.x);
    c.a.vmulps(slope, slope, c.g.constant(3 * c1));
    c.a.vaddps(slope, slope, c.g.constant(c0));
    c.a.vmulps(slope, slope, c.x);
    gate(c, u, slope);
}

// (1 + erf(x / sqrt(2))) / 2 + x * e^(-x^2 / 2) / sqrt(2 pi)
void gelu_erf(const call_t &c) {
    constexpr float closed = 15, root_of_half = 0x1.6a09e6p-1f, height = 0x1.988454p-2f;
    clamp(c.g, c.x, -closed, closed);
    const vec_t sum = c.g.vec("sum");
    c.a.vmulps(sum, c.x, c.g.constant(root_of_half));
    erf(c.g, sum);
    linear(c.g, sum, 0.5f, 0.5f);
    const vec_t density = c.g.vec("density");
    c.a.vmulps(density, c.x, c.x);
    c.a.vmulps(density, density, c.g.constant(-0.5f));
    exp(c.g, density);
    c.a.vmulps(density, density, c.g.constant(height));
    c.a.vfmadd213ps(c.x, density, *sum);
}

// With e = e^x and n = e * (e + 2): n / (n + 2) + 4 * x * e * (1 + e) / (n + 2)^2.
void mish(const call_t &c) {
    constexpr float lowest = -104, highest = 20; // beyond them it is 0 or 1
    clamp(c.g, c.x, lowest, highest);
    const vec_t power = c.g.vec("e");
    c.a.vmovaps(power, c.x);
    exp(c.g, power);
    const vec_t numerator = c.g.vec("n");
    const vec_t denominator = c.g.vec("n + 2");
    c.a.vaddps(numerator, power, c.g.constant(2));
    c.a.vmulps(numerator, numerator, *power);
    c.a.vaddps(denominator, numerator, c.g.constant(2));
    c.a.vfmadd213ps(power, power, *power); // e^2 + e
    c.a.vmulps(c.x, c.x, *power);
    c.a.vmulps(c.x, c.x, c.g.constant(4));
    c.a.vdivps(c.x, c.x, *denominator);
    c.a.vaddps(c.x, c.x, *numerator);
    c.a.vdivps(c.x, c.x, *denominator);
}

void hardsigmoid(const call_t &c) {
    linear(c.g, c.x, c.alpha, c.beta);
    inside(c, c.x, 0, comparison_t::lt, 1, c.alpha);
}

void hardswish(const call_t &c) {
    const vec_t gate = c.g.vec("gate");
    c.a.vmovaps(gate, c.x);
    linear(c.g, gate, c.alpha, c.beta);
    linear(c.g, c.x, 2 * c.alpha, c.beta);
    lane_condition_t(c.g, gate, comparison_t::ge, c.g.constant(1)).select(c.x, c.g.constant(1));
    lane_condition_t(c.g, gate, comparison_t::le, c.g.constant(0)).select(c.x, c.g.constant(0));
}

void pow(const call_t &c) {
    if (c.beta == 0)
        c.g.set_zero(c.x);
    else
        scaled_pow(c.g, c.x, c.alpha * c.beta, c.beta - 1);
}

void relu(const call_t &c) {
    one_above_zero(c, [&] { c.g.broadcast(c.x, c.alpha); });
}

void clip_v2(const call_t &c) { inside(c, c.x, c.alpha, comparison_t::lt, c.beta, 1); }

struct algorithm_t {
    alg_kind_t alg;
    void (*write)(const call_t &c);
};

constexpr algorithm_t algorithms[] = {
        {dnnl_eltwise_relu, relu},
        {dnnl_eltwise_relu_use_dst_for_bwd, relu},
        {dnnl_eltwise_tanh, [](const call_t &c) { bell(c, 2, 4); }},
        {dnnl_eltwise_tanh_use_dst_for_bwd, tanh_by_dst},
        {dnnl_eltwise_elu, elu},
        {dnnl_eltwise_elu_use_dst_for_bwd, elu_by_dst},
        {dnnl_eltwise_square, [](const call_t &c) { c.a.vaddps(c.x, c.x, c.x); }},
        {dnnl_eltwise_abs, magnitude},
        {dnnl_eltwise_sqrt,
                [](const call_t &c) {
                    c.a.vsqrtps(c.x, c.x);
                    divide(c, 0.5f);
                }},
        {dnnl_eltwise_sqrt_use_dst_for_bwd, [](const call_t &c) { divide(c, 0.5f); }},
        {dnnl_eltwise_linear, [](const call_t &c) { c.g.broadcast(c.x, c.alpha); }},
        {dnnl_eltwise_soft_relu,
                [](const call_t &c) {
                    c.a.vmulps(c.x, c.x, c.g.constant(c.alpha));
                    logistic(c.g, c.x);
                }},
        {dnnl_eltwise_hardsigmoid, hardsigmoid},
        {dnnl_eltwise_logistic, [](const call_t &c) { bell(c, 1, 1); }},
        {dnnl_eltwise_logistic_use_dst_for_bwd, logistic_by_dst},
        {dnnl_eltwise_exp, [](const call_t &c) { exp(c.g, c.x); }},
        {dnnl_eltwise_exp_use_dst_for_bwd, [](const call_t &) {}},
        {dnnl_eltwise_gelu_tanh, gelu_tanh},
        {dnnl_eltwise_swish, swish},
        {dnnl_eltwise_log, [](const call_t &c) { divide(c, 1); }},
        {dnnl_eltwise_clip,
                [](const call_t &c) { inside(c, c.x, c.alpha, comparison_t::le, c.beta, 1); }},
        {dnnl_eltwise_clip_v2, clip_v2},
        {dnnl_eltwise_clip_v2_use_dst_for_bwd, clip_v2},
        {dnnl_eltwise_pow, pow},
        {dnnl_eltwise_gelu_erf, gelu_erf},
        {dnnl_eltwise_mish, mish},
        {dnnl_eltwise_hardswish, hardswish},
};

const algorithm_t *find(alg_kind_t alg) {
    for (const algorithm_t &algorithm : algorithms)
        if (algorithm.alg == alg) return &algorithm;
    return nullptr;
}

} // namespace

bool can_derive(alg_kind_t alg) { return find(alg) != nullptr; }

void derivative(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec) {
    const algorithm_t *const algorithm = find(alg);
    assert(algorithm && "ask can_derive() first");
    algorithm->write({g, g.assembler(), g.full(vec), alpha, beta});
}

} // namespace kiln::x64::jit
