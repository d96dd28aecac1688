// SPDX-License-Identifier: Apache-2.0
// Activation functions.

#include "cpu/x64/jit/math/activation.hpp"

#include <cmath>
#include <limits>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation_tables.hpp"
#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/functions.hpp"

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

/// |x / alpha| is below 2 to it, where that is a float.
int magnitude_of_quotient(float x, float alpha) {
    const float quotient = std::fmin(x / std::fabs(alpha), largest);
    return std::ilogb(quotient) + 1;
}

/// u + low = alpha * x, clamped to the range in which the exponential is neither 0 nor infinite.
/// For alpha = 0 there is no clamp, and infinite x gives NaN. Where |alpha| < 6e-37, the largest
/// float is in that range, and infinite x counts as it. Where products are exact, u is not
/// clamped and there is no `low`: returns false.
bool scaled_argument(generator_t &g, const Xmm &u, const Xmm &low, const Xmm &x, float alpha) {
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
void make_non_positive(generator_t &g, const Xmm &u, const Xmm &low, bool has_low) {
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
/// `is_any`, |x| is at most half of the largest float where u < 0. Where |u| is below `closed`, |x|
/// is at most 2^magnitude. u and low become undefined.
void multiply_by_logistic(generator_t &g, const Xmm &x, const Xmm &u, const Xmm &low, bool has_low,
        int magnitude, bool is_any = false) {
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
    is_closed.multiply(x, u, u);
    is_closed.keep(power);
    g.vdivps(x, x, low);
    drop_underflow(g, x, power, magnitude);
    scale_by_power_of_two(g, x, power);
}

// With AVX2, gates that are functions of e^u are found where that is normal. Elsewhere a gate is 1,
// or so close to a power of e that x * e^u remains, which is found by mantissa and exponent. The
// instructions for these lanes are skipped where no lane needs them.

/// x *= e^min(alpha * x, 0), where alpha is a power of two. Infinite x becomes finite where the
/// factor is 0.
void multiply_by_exp(generator_t &g, const Xmm &x, float alpha) {
    const vec_t u = g.vec("u, then mantissa"), power = g.vec("power");
    g.vmulps(u, x, g.constant(alpha));
    clamp(g, u, -closed, 0);
    exp_in_parts(g, u, power);
    alpha > 0 ? at_least(g, x, -large) : at_most(g, x, large);
    g.vmulps(x, x, *u);
    drop_underflow(g, x, power, magnitude_of_quotient(closed, alpha));
    scale_by_power_of_two(g, x, power);
}

/// x = value, or x * e^min(alpha * x, 0) in the lanes that are far.
void select_far(generator_t &g, const Xmm &x, const Xmm &value, const lane_condition_t &is_far,
        float alpha) {
    Xbyak::Label end;
    is_far.jump_if_none(end);
    multiply_by_exp(g, x, alpha);
    is_far.select(value, x);
    g.L(end);
    g.vmovaps(x, value);
}

/// x / (1 + e^(-alpha * x)), where alpha is a power of two.
void swish_by_range(generator_t &g, const Xmm &x, float alpha) {
    const vec_t value = g.vec("-alpha * x, then value");
    g.vmulps(value, x, g.constant(-alpha));
    const lane_condition_t is_far = is_beyond(g, value, normal_exp_range);
    exp_of_normal_range(g, value);
    g.vaddps(value, value, g.constant(1));
    g.vdivps(value, x, *value);
    select_far(g, x, value, is_far, alpha);
}

/// x * n / (n + 2) with e = e^x and n = e * (e + 2), where that is finite.
void mish_by_range(generator_t &g, const Xmm &x) {
    constexpr float range = 40;
    const lane_condition_t is_far = is_beyond(g, x, range);
    const vec_t value = g.vec("n, then value");
    {
        const vec_t e = g.vec("e, then n + 2");
        g.vmovaps(e, x);
        exp_of_normal_range(g, e);
        g.vaddps(value, e, g.constant(2));
        g.vmulps(value, value, *e);
        g.vaddps(e, value, g.constant(2));
        g.vmulps(value, value, x);
        g.vdivps(value, value, *e);
    }
    select_far(g, x, value, is_far, 1);
}

} // namespace

void elu(generator_t &g, const Xmm &x, float alpha) {
    const vec_t below = g.vec("below zero");
    g.vmovaps(below, x);
    expm1_of_non_positive(g, below);
    g.vmulps(below, below, g.constant(alpha));
    lane_condition_t(g, x, comparison_t::lt, g.constant(0))
            .select(x, *below); // zero keeps its sign
}

// With u = alpha * x, e = e^-|u| and s = e / (2 + e), log(1 + e) = 2 atanh(s), to 2^-27.7:
//     (u > 0 ? x : 0) + 2 * (s + s * s^2 * polynomial(s^2)) / alpha
void soft_relu(generator_t &g, const Xmm &x, float alpha) {
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
    drop_underflow(g, u, power, magnitude_of_quotient(2, alpha));
    scale_by_power_of_two(g, u, power);
    g.vaddps(x, x, *u);
}

void swish(generator_t &g, const Xmm &x, float alpha) {
    // Where the gate is 0, infinite x becomes finite, so that the product is 0.
    const bool is_any = std::fabs(alpha) * large <= closed;
    if (!g.has_avx512() && is_power_of_two(alpha) && !is_any) return swish_by_range(g, x, alpha);
    const vec_t u = g.vec("u");
    const vec_t low = g.vec("low part");
    const bool has_low = scaled_argument(g, u, low, x, alpha);
    const float bound = is_any ? largest : large;
    if (alpha > 0) at_least(g, x, -bound);
    if (alpha < 0) at_most(g, x, bound);
    multiply_by_logistic(g, x, u, low, has_low, magnitude_of_quotient(closed, alpha), is_any);
}

// 2u = x * (c0 + c1 * x^2). The factor in parentheses is the sum of two floats, c0 having few bits
// so that subtracting it again is exact.
void gelu_argument_in_parts(generator_t &g, const Xmm &u, const Xmm &low, const Xmm &x) {
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
void gelu_tanh(generator_t &g, const Xmm &x) {
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
    constexpr int magnitude_of_bounded = 4;
    multiply_by_logistic(g, x, u, low, true, magnitude_of_bounded);
}

void mish(generator_t &g, const Xmm &x) {
    g.has_avx512() ? mish_by_tables(g, x) : mish_by_range(g, x);
}

void hardsigmoid(generator_t &g, const Xmm &x, float alpha, float beta) {
    linear(g, x, alpha, beta);
    clamp(g, x, 0, 1);
}

void hardswish(generator_t &g, const Xmm &x, float alpha, float beta) {
    const vec_t gate = g.vec("gate");
    g.vmovaps(gate, x);
    hardsigmoid(g, gate, alpha, beta);
    const lane_condition_t is_open(g, gate, comparison_t::ne, g.constant(0));
    g.vmulps(x, x, *gate);
    is_open.keep(x);
}

} // namespace kiln::x64::jit
