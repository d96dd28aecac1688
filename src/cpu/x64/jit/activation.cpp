// SPDX-License-Identifier: Apache-2.0
// Activation functions.

#include "cpu/x64/jit/activation.hpp"

#include <cmath>
#include <limits>

#include "cpu/x64/jit/activation_tables.hpp"
#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

constexpr float largest = std::numeric_limits<float>::max();
/// Products of it with a mantissa do not overflow.
constexpr float large = 0x1p126f;

/// e^-208 = 2^-300 times any float is zero.
constexpr float closed = 208;

/// Whether products with alpha are exact.
bool is_power_of_two(float alpha) {
    int exponent = 0;
    return std::isfinite(alpha) && std::fabs(std::frexp(alpha, &exponent)) == 0.5f;
}

/// u + low = alpha * x, clamped to the range in which the exponential is neither 0 nor infinite.
/// For alpha = 0 there is no clamp, and infinite x gives NaN. Where |alpha| < 6e-37, the largest
/// float is in that range, and infinite x counts as it. Where products are exact, u is not
/// clamped and there is no `low`: returns false.
bool scaled_argument(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low,
        const Xbyak::Xmm &x, float alpha) {
    if (is_power_of_two(alpha)) {
        alpha == 1 ? g.vmovaps(u, x) : g.vmulps(u, x, g.constant(alpha));
        return false;
    }
    g.vmovaps(low, x);
    if (alpha != 0) {
        const float bound = std::fmin(closed / std::fabs(alpha), largest);
        clamp(g, low, -bound, bound);
    }
    g.vmulps(u, low, g.constant(alpha));
    g.vfmsub132ps(low, u, g.constant(alpha));
    return true;
}

/// u + low, or a u that is not clamped, becomes -|u + low|, at least -208.
void make_non_positive(generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low, bool has_low) {
    if (!has_low) {
        g.vorps(u, u, g.constant_bits(sign_bit));
        return at_least(g, u, -closed);
    }
    const vec_t flip = g.vec("sign to flip");
    g.vandnps(flip, u, g.constant_bits(sign_bit));
    g.vxorps(u, u, *flip);
    g.vxorps(low, low, *flip);
}

/// x *= logistic(u + low), where |u| <= closed or there is no `low`. With e = e^-|u| that is
/// x / (1 + e) or x * e / (1 + e), whose numerator is kept as mantissa and exponent. Unless
/// `is_any`, |x| is at most half of the largest float where u < 0. u and low become undefined.
void multiply_by_logistic(generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &u,
        const Xbyak::Xmm &low, bool has_low, bool is_any = false) {
    const lane_condition_t is_closed(g, u, comparison_t::not_gt, g.constant(0));
    make_non_positive(g, u, low, has_low);
    const vec_t power = g.vec("power");
    exp_in_parts(g, u, power, has_low ? &low : nullptr);
    join_parts(g, low, u, power);
    g.vaddps(low, low, g.constant(1));
    if (is_any) { // a mantissa below 1, so that the product stays finite
        g.vmulps(u, u, g.constant(0.5f));
        g.vaddps(*power, *power, g.constant(1));
    }
    is_closed.multiply(x, u);
    is_closed.keep(power);
    g.vdivps(x, x, low);
    scale_by_power_of_two(g, x, power);
}

} // namespace

void elu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    const vec_t below = g.vec("below zero");
    g.vmovaps(below, x);
    expm1_of_non_positive(g, below);
    g.vmulps(below, below, g.constant(alpha));
    lane_condition_t(g, x, comparison_t::lt, g.constant(0))
            .select(x, *below); // zero keeps its sign
}

// With u = alpha * x, e = e^-|u| and s = e / (2 + e), log(1 + e) = 2 atanh(s), to 2^-27.7:
//     (u > 0 ? x : 0) + 2 * (s + s * s^2 * polynomial(s^2)) / alpha
void soft_relu(generator_t &g, const Xbyak::Xmm &x, float alpha) {
    const vec_t u = g.vec("u, then s in parts");
    const vec_t t = g.vec("low part, then s squared");
    const bool has_low = scaled_argument(g, u, t, x, alpha);
    {
        const lane_condition_t is_positive(g, u, comparison_t::gt, g.constant(0));
        is_positive.keep(x);
    }
    make_non_positive(g, u, t, has_low);
    const vec_t power = g.vec("power");
    exp_in_parts(g, u, power, has_low ? &*t : nullptr);
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
    const bool has_low = scaled_argument(g, u, low, x, alpha);
    // Where the gate is 0, infinite x becomes finite, so that the product is 0.
    const bool is_any = std::fabs(alpha) * large <= closed;
    const float bound = is_any ? largest : large;
    if (alpha > 0) at_least(g, x, -bound);
    if (alpha < 0) at_most(g, x, bound);
    multiply_by_logistic(g, x, u, low, has_low, is_any);
}

// 2u = x * (c0 + c1 * x^2). The factor in parentheses is the sum of two floats, c0 having few bits
// so that subtracting it again is exact.
void gelu_argument_in_parts(
        generator_t &g, const Xbyak::Xmm &u, const Xbyak::Xmm &low, const Xbyak::Xmm &x) {
    constexpr float c0_high = 0x1.988p0f;
    constexpr float c0_low = 0x1.14cf5p-14f;
    constexpr float c1_high = 0x1.2444f2p-4f;
    constexpr float c1_low = 0x1.49b16ap-29f;
    const vec_t square = g.vec("square");
    const vec_t square_low = g.vec("its low part");
    g.vmulps(square, x, x);
    g.vmovaps(square_low, x);
    g.vfmsub213ps(square_low, x, *square);

    g.broadcast(u, c0_high);
    g.vfmadd231ps(u, square, g.constant(c1_high));
    g.vsubps(low, u, g.constant(c0_high));
    g.vfmsub231ps(low, square, g.constant(c1_high));
    g.vfmadd231ps(low, square, g.constant(c1_low));
    g.vfmadd231ps(low, square_low, g.constant(c1_high));
    g.vaddps(low, low, g.constant(c0_low));

    g.vmulps(low, low, x);
    g.vmovaps(square, u);
    g.vmulps(u, u, x);
    g.vfmsub213ps(square, x, u);
    g.vaddps(low, low, *square);
}

// (1 + tanh(u)) / 2 = logistic(2u)
void gelu_tanh(generator_t &g, const Xbyak::Xmm &x) {
    if (g.has_avx512()) return gelu_tanh_by_tables(g, x);
    constexpr float closed_x = 13.9f; // where the argument is close to 208
    const vec_t u = g.vec("2u");
    const vec_t low = g.vec("low part");
    {
        const vec_t bounded = g.vec("bounded x");
        g.vmovaps(bounded, x);
        clamp(g, bounded, -closed_x, closed_x);
        gelu_argument_in_parts(g, u, low, bounded);
    }
    at_least(g, x, -large);
    multiply_by_logistic(g, x, u, low, true);
}

// max(x, 0) - |x| * tail(|x|) from 1 on, x * (1 / 2 + x * polynomial(x^2)) below, to 2^-25.7.
void gelu_erf(generator_t &g, const Xbyak::Xmm &x) {
    if (g.has_avx512()) return gelu_erf_by_tables(g, x);
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

// With e = e^x and s = e + 2, tanh(log(1 + e)) is e * s / (e * s + 2), and 1 for x > 20. The factor
// e of the numerator is kept as mantissa and exponent.
void mish(generator_t &g, const Xbyak::Xmm &x) {
    if (g.has_avx512()) return mish_by_tables(g, x);
    constexpr float open = 20;
    const vec_t mantissa = g.vec("mantissa of e");
    const vec_t power = g.vec("power");
    g.vmovaps(mantissa, x);
    clamp(g, mantissa, -closed, open);
    exp_in_parts(g, mantissa, power);
    at_least(g, x, -0x1p120f); // the gate is 0 below it, and no product with it overflows
    const lane_condition_t is_gated(g, x, comparison_t::lt, g.constant(open));
    {
        const vec_t e = g.vec("e, then s * e + 2"), sum = g.vec("s, then s / (s * e + 2)");
        join_parts(g, e, mantissa, power);
        g.vaddps(sum, e, g.constant(2));
        g.vfmadd213ps(e, sum, g.constant(2));
        g.vdivps(sum, sum, *e);
        is_gated.multiply(x, sum);
    }
    is_gated.multiply(x, mantissa);
    is_gated.keep(power);
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
