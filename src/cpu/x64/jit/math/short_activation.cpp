// SPDX-License-Identifier: Apache-2.0
// Activation functions whose results are rounded to 16 bits: exponentials of a short polynomial,
// and reciprocals to 2^-14 by vrcp14ps. Lanes whose power of two is negligible are masked: Intel's
// processors take some 150 cycles where an instruction underflows.

#include <cassert>
#include <cmath>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation.hpp"
#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

/// The lanes in which t < lowest is false.
mask_t lanes_from(generator_t &g, const Xmm &t, float lowest) {
    mask_t lanes = g.mask("lanes of t that count");
    g.vcmpps(lanes, t, g.constant(lowest), static_cast<uint8_t>(comparison_t::not_lt));
    return lanes;
}

/// power = scale * 2^t to 2^-18, or 0 in other lanes.
void short_exp2(
        generator_t &g, const Xmm &power, const Xmm &t, const mask_t &lanes, float scale = 1) {
    constexpr uint8_t subtract_floor = 1;
    const vec_t fraction = g.vec("fraction of t");
    g.vreduceps(fraction, t, subtract_floor);
    polynomial(g, power, fraction,
            {scale * 0x1.bb7cc4p-7f, scale * 0x1.aa13f8p-5f, scale * 0x1.ee798ap-3f,
                    scale * 0x1.62d166p-1f, scale * 0x1.00002cp0f});
    g.vscalefps(power | *lanes | Xbyak::util::T_z, power, t);
}

/// A step of Newton's method: the error of `reciprocal`, that of `x`, becomes its square, in these
/// lanes or in all. x becomes undefined.
void refine_reciprocal(
        generator_t &g, const Xmm &reciprocal, const Xmm &x, const mask_t *lanes = nullptr) {
    g.vfnmadd213ps(x, reciprocal, g.constant(1));
    g.vfmadd231ps(lanes ? reciprocal | **lanes : reciprocal, reciprocal, x);
}

/// 1 + 2^t is 1 below it.
constexpr float negligible_beside_one = -30;

/// x = 1 / (1 + e^-x)
void short_logistic(generator_t &g, const Xmm &x, bool is_refined) {
    const vec_t t = g.vec("t"), power = g.vec("2^t");
    g.vmulps(t, x, g.constant(-log2_of_e));
    short_exp2(g, power, t, lanes_from(g, t, negligible_beside_one));
    g.vaddps(power, power, g.constant(1));
    g.vrcp14ps(x, power);
    if (!is_refined) return;
    // The reciprocal of an infinite power has no error.
    constexpr float finite = 126;
    const mask_t is_finite = g.mask("lanes of a finite power");
    g.vcmpps(is_finite, t, g.constant(finite), static_cast<uint8_t>(comparison_t::le));
    refine_reciprocal(g, x, power, &is_finite);
}

/// x /= 1 + 2^t, where the quotient is 0 if the power is infinite: for x = -infinity, or for
/// +infinity if the power rises with x. The factors are scaled, so that the power is finite where
/// the quotient is a normal number. t is NaN where x is.
void divide_by_one_and_power(generator_t &g, const Xmm &x, const Xmm &t, bool rises = false) {
    constexpr float scale = 0x1p-8f, largest = 0x1p120f;
    const vec_t power = g.vec("2^t, then quotient");
    short_exp2(g, power, t, lanes_from(g, t, negligible_beside_one), scale);
    g.vaddps(power, power, g.constant(scale));
    g.vrcp14ps(power, power);
    g.vmulps(x, x, g.constant(scale));
    if (rises)
        g.vminps(x, x, g.constant(largest));
    else
        g.vmaxps(x, x, g.constant(-largest));
    g.vmulps(x, x, *power);
}

void short_swish(generator_t &g, const Xmm &x, float alpha) {
    const vec_t t = g.vec("t");
    g.vmulps(t, x, g.constant(-alpha * log2_of_e));
    divide_by_one_and_power(g, x, t, alpha < 0);
}

/// (1 + tanh(u)) / 2 = 1 / (1 + e^-2u) with 2u = x * (c0 + c1 * x^2)
void short_gelu_tanh(generator_t &g, const Xmm &x) {
    constexpr float c0 = 0x1.988454p0f, c1 = 0x1.2444f2p-4f;
    const vec_t t = g.vec("t");
    {
        const vec_t square = g.vec("x^2");
        g.vmulps(square, x, x);
        g.broadcast(t, -c0 * log2_of_e);
        g.vfmadd231ps(t, square, g.constant(-c1 * log2_of_e));
        g.vmulps(t, t, x);
    }
    divide_by_one_and_power(g, x, t);
}

/// tanh(log(1 + e)) = n / (n + 2) with e = e^x and n = e * (e + 2)
void short_mish(generator_t &g, const Xmm &x) {
    constexpr float most = 40, least = -150;
    const vec_t t = g.vec("t, then e + 2, then 1 / (n + 2)"), n = g.vec("e, then n");
    g.vmulps(t, x, g.constant(log2_of_e));
    g.vminps(t, t, g.constant(most));
    const mask_t is_not_zero = lanes_from(g, t, least);
    short_exp2(g, n, t, is_not_zero);
    g.vaddps(t, n, g.constant(2));
    g.vmulps(n, n, *t);
    g.vaddps(t, n, g.constant(2));
    g.vrcp14ps(t, t);
    g.vmulps(n, n, *t);
    g.vmulps(x | *is_not_zero | Xbyak::util::T_z, x, *n);
}

/// With t = |x|: max(x, 0) - t * q * e^(-t^2 / 2), where q is a polynomial of w = 1 / (t + 2.75),
/// to 2^-16 for t < 14.6.
void short_gelu_erf(generator_t &g, const Xmm &x, data_type_t rounded_to) {
    constexpr float farthest = 20, shift = 2.75f, least = -150;
    const vec_t t = g.vec("t"), q = g.vec("q");
    take_least_magnitude(g, t, x, farthest);
    {
        const vec_t w = g.vec("w"), sum = g.vec("t + 2.75, then error of w");
        g.vaddps(sum, t, g.constant(shift));
        g.vrcp14ps(w, sum);
        if (rounded_to == dnnl_f16) refine_reciprocal(g, w, sum); // its errors count twice
        polynomial(g, q, w,
                {-0x1.ea7c9ep+3f, 0x1.bc23d8p+3f, 0x1.eb7174p-1f, 0x1.41b7f2p+0f, 0x1.90b388p-2f,
                        0x1.2aa04cp-13f});
    }
    g.vmulps(q, q, *t);
    {
        const vec_t power = g.vec("e^(-t^2 / 2)");
        g.vmulps(t, t, *t);
        g.vmulps(t, t, g.constant(-0.5f * log2_of_e));
        short_exp2(g, power, t, lanes_from(g, t, least));
        g.set_zero(t);
        g.vmaxps(x, t, x); // x where x is NaN
        g.vfnmadd231ps(x, q, *power);
    }
}

} // namespace

bool has_short_activation(
        const generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to) {
    if (!g.has_avx512() || (rounded_to != dnnl_bf16 && rounded_to != dnnl_f16)) return false;
    switch (alg) {
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd:
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_gelu_erf:
    case dnnl_eltwise_mish: return true;
    // With a smaller alpha, the quotient of an infinite power is not negligible.
    case dnnl_eltwise_swish: return std::fabs(alpha) >= 0.5f && std::fabs(alpha) <= 0x1p100f;
    default: return false;
    }
}

void write_short_activation(
        generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to, const Xmm &x) {
    switch (alg) {
    case dnnl_eltwise_logistic: return short_logistic(g, x, false);
    case dnnl_eltwise_logistic_use_dst_for_bwd:
        // Gradients have 1 - dst, of which an error next to 1 is a large part.
        return short_logistic(g, x, rounded_to == dnnl_f16);
    case dnnl_eltwise_swish: return short_swish(g, x, alpha);
    case dnnl_eltwise_gelu_tanh: return short_gelu_tanh(g, x);
    case dnnl_eltwise_gelu_erf: return short_gelu_erf(g, x, rounded_to);
    case dnnl_eltwise_mish: return short_mish(g, x);
    default: assert(!"a function with a short form");
    }
}

} // namespace kiln::x64::jit
