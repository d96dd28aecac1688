// SPDX-License-Identifier: Apache-2.0
// Activation functions.

#include "cpu/x64/jit/activation.hpp"

#include <cmath>
#include <limits>

#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

constexpr uint32_t sign_bit = 0x80000000u;
constexpr float largest = std::numeric_limits<float>::max();

/// e^-208 = 2^-300 times any float is zero.
constexpr float closed = 208;

/// u + low = alpha * x, clamped to the range in which the exponential is neither 0 nor infinite.
/// For alpha = 0 there is no clamp, and infinite x gives NaN.
void scaled_argument(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low,
        const Xbyak::Xmm &x, float alpha) {
    auto &a = g.assembler();
    a.vmovaps(low, x);
    if (alpha != 0) {
        const float bound = std::fmin(closed / std::fabs(alpha), largest);
        clamp(g, low, -bound, bound);
    }
    a.vmulps(u, low, g.constant(alpha));
    a.vfmsub132ps(low, u, g.constant(alpha));
}

/// u + low becomes -|u + low|.
void make_non_positive(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low) {
    auto &a = g.assembler();
    const vec_t flip = g.vec("sign to flip");
    a.vandnps(flip, u, g.constant_bits(sign_bit));
    a.vxorps(u, u, *flip);
    a.vxorps(low, low, *flip);
}

/// x *= logistic(u + low), where |u| <= closed. With e = e^-|u| that is x / (1 + e) or
/// x * e / (1 + e), whose numerator is kept as mantissa and exponent. u and low become undefined.
void multiply_by_logistic(
        generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &u, const Xbyak::Xmm &low) {
    auto &a = g.assembler();
    const lane_condition_t is_open(g, u, comparison_t::gt, g.constant(0));
    make_non_positive(g, u, low);
    const vec_t power = g.vec("power");
    exp_in_parts(g, u, power, &low);
    join_parts(g, low, u, power);
    a.vaddps(low, low, g.constant(1));
    is_open.select(u, g.constant(1));
    is_open.select(power, g.constant(0));
    a.vmulps(x, x, u);
    a.vdivps(x, x, low);
    scale_by_power_of_two(g, x, power);
}

} // namespace

void elu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    const vec_t below = g.vec("below zero");
    g.assembler().vmovaps(below, x);
    expm1_of_non_positive(g, below);
    g.assembler().vmulps(below, below, g.constant(alpha));
    lane_condition_t(g, x, comparison_t::not_gt, g.constant(0)).select(x, *below);
}

// With u = alpha * x, e = e^-|u| and s = e / (2 + e), log(1 + e) = 2 atanh(s), to 2^-27.7:
//     (u > 0 ? x : 0) + 2 * (s + s * s^2 * polynomial(s^2)) / alpha
void soft_relu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    auto &a = g.assembler();
    const vec_t u = g.vec("u, then s in parts");
    const vec_t t = g.vec("low part, then s squared");
    scaled_argument(g, u, t, x, alpha);
    {
        const lane_condition_t is_positive(g, u, comparison_t::gt, g.constant(0));
        is_positive.keep(x);
    }
    make_non_positive(g, u, t);
    const vec_t power = g.vec("power");
    exp_in_parts(g, u, power, &*t);
    join_parts(g, t, u, power);
    a.vaddps(t, t, g.constant(2));
    a.vdivps(u, u, *t);
    join_parts(g, t, u, power);
    a.vmulps(t, t, *t);
    {
        const vec_t sum = g.vec("polynomial");
        polynomial(g, sum, t, {0x1.1ec904p-3f, 0x1.1ec070p-3f, 0x1.99d1cap-3f, 0x1.555502p-2f});
        a.vmulps(sum, sum, *t);
        a.vfmadd213ps(sum, u, u);
        a.vaddps(u, sum, *sum);
    }
    if (alpha != 1) a.vdivps(u, u, g.constant(alpha));
    scale_by_power_of_two(g, u, power);
    a.vaddps(x, x, *u);
}

void swish(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    const vec_t u = g.vec("u");
    const vec_t low = g.vec("low part");
    scaled_argument(g, u, low, x, alpha);
    // Where the gate is 0, infinite x becomes finite, so that the product is 0.
    if (alpha > 0) at_least(g, x, -largest);
    if (alpha < 0) at_most(g, x, largest);
    multiply_by_logistic(g, x, u, low);
}

// (1 + tanh(v)) / 2 = logistic(2v), 2v = x * (c0 + c1 * x^2). The factor in parentheses is the sum
// of two floats, c0 having few bits so that subtracting it again is exact.
void gelu_tanh(generator_t &g, const Xbyak::Xmm &x) {
    constexpr float c0_high = 0x1.988p0f;
    constexpr float c0_low = 0x1.14cf5p-14f;
    constexpr float c1_high = 0x1.2444f2p-4f;
    constexpr float c1_low = 0x1.49b16ap-29f;
    constexpr float closed_x = 13.9f; // where the argument is close to 208
    auto &a = g.assembler();
    const vec_t u = g.vec("u");
    const vec_t low = g.vec("low part");
    {
        const vec_t bounded = g.vec("bounded x");
        a.vmovaps(bounded, x);
        clamp(g, bounded, -closed_x, closed_x);
        const vec_t square = g.vec("square");
        const vec_t square_low = g.vec("its low part");
        a.vmulps(square, bounded, *bounded);
        a.vmovaps(square_low, *bounded);
        a.vfmsub213ps(square_low, bounded, *square);

        g.broadcast(u, c0_high);
        a.vfmadd231ps(u, square, g.constant(c1_high));
        a.vsubps(low, u, g.constant(c0_high));
        a.vfmsub231ps(low, square, g.constant(c1_high));
        a.vfmadd231ps(low, square, g.constant(c1_low));
        a.vfmadd231ps(low, square_low, g.constant(c1_high));
        a.vaddps(low, low, g.constant(c0_low));

        a.vmulps(low, low, *bounded);
        a.vmovaps(square, *u);
        a.vmulps(u, u, *bounded);
        a.vfmsub213ps(square, bounded, *u);
        a.vaddps(low, low, *square);
    }
    at_least(g, x, -largest);
    multiply_by_logistic(g, x, u, low);
}

// max(x, 0) - |x| * tail(|x|) from 1 on, x * (1 / 2 + x * polynomial(x^2)) below, to 2^-25.7.
void gelu_erf(generator_t &g, const Xbyak::Xmm &x) {
    auto &a = g.assembler();
    const vec_t large = g.vec("large");
    a.vmovaps(large, x);
    take_magnitude(g, large);
    const vec_t power_or_square = g.vec("power, then square");
    normal_tail_in_parts(g, large, power_or_square);
    const vec_t t = g.vec("magnitude, then polynomial");
    a.vmovaps(t, x);
    take_magnitude(g, t);
    at_most(g, t, largest); // so that the tail of infinity is zero
    a.vmulps(large, large, *t);
    scale_by_power_of_two(g, large, power_or_square);
    a.vmovaps(t, x);
    at_least(g, t, 0);
    a.vsubps(large, t, *large);

    a.vmulps(power_or_square, x, x);
    polynomial(g, t, power_or_square,
            {0x1.8ae092p-14f, -0x1.327c1ap-10f, 0x1.469994p-7f, -0x1.105756p-4f, 0x1.988452p-2f});
    a.vfmadd213ps(t, x, g.constant(0.5f));
    a.vmulps(x, x, *t);
    lane_condition_t(g, power_or_square, comparison_t::gt, g.constant(1)).select(x, *large);
}

// With e^x = b / a, one of a and b being 1 and the other e^-|x|, tanh(log(1 + e^x)) is
// b * n / (b * n + 2 * a^2), n = b + 2 * a. For x < 0, b is the smaller one and is kept as mantissa
// and exponent.
void mish(generator_t &g, const Xbyak::Xmm &x) {
    auto &a = g.assembler();
    const vec_t factor = g.vec("first part of b, then numerator");
    const vec_t power = g.vec("power");
    a.vorps(factor, x, g.constant_bits(sign_bit));
    at_least(g, factor, -closed);
    exp_in_parts(g, factor, power);

    const vec_t numerator = g.vec("b, then numerator");
    const vec_t denominator = g.vec("a, then denominator");
    join_parts(g, denominator, factor, power);
    a.vmovaps(numerator, *denominator);
    {
        const lane_condition_t is_open(g, x, comparison_t::gt, g.constant(0));
        is_open.select(numerator, g.constant(1));
        is_open.select(factor, g.constant(1));
        is_open.select(power, g.constant(0));
    }
    lane_condition_t(g, x, comparison_t::not_gt, g.constant(0)).select(denominator, g.constant(1));
    at_least(g, x, -0x1p120f); // the gate is 0 below it, and no product with it overflows
    a.vmulps(x, x, *factor);

    a.vmovaps(factor, *numerator); // b
    a.vfmadd231ps(numerator, denominator, g.constant(2));
    a.vmulps(denominator, denominator, *denominator);
    a.vaddps(denominator, denominator, *denominator);
    a.vfmadd231ps(denominator, factor, *numerator);
    a.vmulps(x, x, *numerator);
    a.vdivps(x, x, *denominator);
    scale_by_power_of_two(g, x, power);
}

void hardsigmoid(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta) {
    linear(g, x, alpha, beta);
    clamp(g, x, 0, 1);
}

void hardswish(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta) {
    const vec_t gate = g.vec("gate");
    g.assembler().vmovaps(gate, x);
    hardsigmoid(g, gate, alpha, beta);
    const lane_condition_t is_open(g, gate, comparison_t::ne, g.constant(0));
    g.assembler().vmulps(x, x, *gate);
    is_open.keep(x);
}

} // namespace kiln::x64::jit
