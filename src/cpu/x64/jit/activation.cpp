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

constexpr float largest = std::numeric_limits<float>::max();

/// e^-208 = 2^-300 times any float is zero.
constexpr float closed = 208;

/// u + low = alpha * x, clamped to the range in which the exponential is neither 0 nor infinite.
/// For alpha = 0 there is no clamp, and infinite x gives NaN.
void scaled_argument(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low,
        const Xbyak::Xmm &x, float alpha) {
    g.vmovaps(low, x);
    if (alpha != 0) {
        const float bound = std::fmin(closed / std::fabs(alpha), largest);
        clamp(g, low, -bound, bound);
    }
    g.vmulps(u, low, g.constant(alpha));
    g.vfmsub132ps(low, u, g.constant(alpha));
}

/// u + low becomes -|u + low|.
void make_non_positive(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low) {
    const vec_t flip = g.vec("sign to flip");
    g.vandnps(flip, u, g.constant_bits(sign_bit));
    g.vxorps(u, u, *flip);
    g.vxorps(low, low, *flip);
}

/// x *= logistic(u + low), where |u| <= closed. With e = e^-|u| that is x / (1 + e) or
/// x * e / (1 + e), whose numerator is kept as mantissa and exponent. u and low become undefined.
void multiply_by_logistic(
        generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &u, const Xbyak::Xmm &low) {
    const lane_condition_t is_open(g, u, comparison_t::gt, g.constant(0));
    make_non_positive(g, u, low);
    const vec_t power = g.vec("power");
    exp_in_parts(g, u, power, &low);
    join_parts(g, low, u, power);
    g.vaddps(low, low, g.constant(1));
    is_open.select(u, g.constant(1));
    is_open.select(power, g.constant(0));
    g.vmulps(x, x, u);
    g.vdivps(x, x, low);
    scale_by_power_of_two(g, x, power);
}

} // namespace

void elu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    const vec_t below = g.vec("below zero");
    g.vmovaps(below, x);
    expm1_of_non_positive(g, below);
    g.vmulps(below, below, g.constant(alpha));
    lane_condition_t(g, x, comparison_t::not_gt, g.constant(0)).select(x, *below);
}

// With u = alpha * x, e = e^-|u| and s = e / (2 + e), log(1 + e) = 2 atanh(s), to 2^-27.7:
//     (u > 0 ? x : 0) + 2 * (s + s * s^2 * polynomial(s^2)) / alpha
void soft_relu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
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
    g.vaddps(t, t, g.constant(2));
    g.vdivps(u, u, *t);
    join_parts(g, t, u, power);
    g.vmulps(t, t, *t);
    {
        const vec_t sum = g.vec("polynomial");
        polynomial(g, sum, t, {0x1.1ec904p-3f, 0x1.1ec070p-3f, 0x1.99d1cap-3f, 0x1.555502p-2f});
        g.vmulps(sum, sum, *t);
        g.vfmadd213ps(sum, u, u);
        g.vaddps(u, sum, *sum);
    }
    if (alpha != 1) g.vdivps(u, u, g.constant(alpha));
    scale_by_power_of_two(g, u, power);
    g.vaddps(x, x, *u);
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
    const vec_t u = g.vec("u");
    const vec_t low = g.vec("low part");
    {
        const vec_t bounded = g.vec("bounded x");
        g.vmovaps(bounded, x);
        clamp(g, bounded, -closed_x, closed_x);
        const vec_t square = g.vec("square");
        const vec_t square_low = g.vec("its low part");
        g.vmulps(square, bounded, *bounded);
        g.vmovaps(square_low, *bounded);
        g.vfmsub213ps(square_low, bounded, *square);

        g.broadcast(u, c0_high);
        g.vfmadd231ps(u, square, g.constant(c1_high));
        g.vsubps(low, u, g.constant(c0_high));
        g.vfmsub231ps(low, square, g.constant(c1_high));
        g.vfmadd231ps(low, square, g.constant(c1_low));
        g.vfmadd231ps(low, square_low, g.constant(c1_high));
        g.vaddps(low, low, g.constant(c0_low));

        g.vmulps(low, low, *bounded);
        g.vmovaps(square, *u);
        g.vmulps(u, u, *bounded);
        g.vfmsub213ps(square, bounded, *u);
        g.vaddps(low, low, *square);
    }
    at_least(g, x, -largest);
    multiply_by_logistic(g, x, u, low);
}

// max(x, 0) - |x| * tail(|x|) from 1 on, x * (1 / 2 + x * polynomial(x^2)) below, to 2^-25.7.
void gelu_erf(generator_t &g, const Xbyak::Xmm &x) {
    const vec_t large = g.vec("large");
    g.vmovaps(large, x);
    take_magnitude(g, large);
    const vec_t power_or_square = g.vec("power, then square");
    normal_tail_in_parts(g, large, power_or_square);
    const vec_t t = g.vec("magnitude, then polynomial");
    g.vmovaps(t, x);
    take_magnitude(g, t);
    at_most(g, t, largest); // so that the tail of infinity is zero
    g.vmulps(large, large, *t);
    scale_by_power_of_two(g, large, power_or_square);
    g.vmovaps(t, x);
    at_least(g, t, 0);
    g.vsubps(large, t, *large);

    g.vmulps(power_or_square, x, x);
    polynomial(g, t, power_or_square,
            {0x1.8ae092p-14f, -0x1.327c1ap-10f, 0x1.469994p-7f, -0x1.105756p-4f, 0x1.988452p-2f});
    g.vfmadd213ps(t, x, g.constant(0.5f));
    g.vmulps(x, x, *t);
    lane_condition_t(g, power_or_square, comparison_t::gt, g.constant(1)).select(x, *large);
}

// With e^x = b / a, one of a and b being 1 and the other e^-|x|, tanh(log(1 + e^x)) is
// b * n / (b * n + 2 * a^2), n = b + 2 * a. For x < 0, b is the smaller one and is kept as mantissa
// and exponent.
void mish(generator_t &g, const Xbyak::Xmm &x) {
    const vec_t factor = g.vec("first part of b, then numerator");
    const vec_t power = g.vec("power");
    g.vorps(factor, x, g.constant_bits(sign_bit));
    at_least(g, factor, -closed);
    exp_in_parts(g, factor, power);

    const vec_t numerator = g.vec("b, then numerator");
    const vec_t denominator = g.vec("a, then denominator");
    join_parts(g, denominator, factor, power);
    g.vmovaps(numerator, *denominator);
    {
        const lane_condition_t is_open(g, x, comparison_t::gt, g.constant(0));
        is_open.select(numerator, g.constant(1));
        is_open.select(factor, g.constant(1));
        is_open.select(power, g.constant(0));
    }
    lane_condition_t(g, x, comparison_t::not_gt, g.constant(0)).select(denominator, g.constant(1));
    at_least(g, x, -0x1p120f); // the gate is 0 below it, and no product with it overflows
    g.vmulps(x, x, *factor);

    g.vmovaps(factor, *numerator); // b
    g.vfmadd231ps(numerator, denominator, g.constant(2));
    g.vmulps(denominator, denominator, *denominator);
    g.vaddps(denominator, denominator, *denominator);
    g.vfmadd231ps(denominator, factor, *numerator);
    g.vmulps(x, x, *numerator);
    g.vdivps(x, x, *denominator);
    scale_by_power_of_two(g, x, power);
}

void hardsigmoid(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta) {
    linear(g, x, alpha, beta);
    clamp(g, x, 0, 1);
}

void hardswish(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta) {
    const vec_t gate = g.vec("gate");
    g.vmovaps(gate, x);
    hardsigmoid(g, gate, alpha, beta);
    const lane_condition_t is_open(g, gate, comparison_t::ne, g.constant(0));
    g.vmulps(x, x, *gate);
    is_open.keep(x);
}

} // namespace kiln::x64::jit
