// SPDX-License-Identifier: Apache-2.0
// The tail of the normal distribution, and gelu_erf and its derivative where they are made of it.

#include "cpu/x64/jit/activation_tables.hpp"

#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

/// The tail beyond it, times any float, rounds to zero.
constexpr float farthest_normal = 20;

/// ratio = tail(t) / e^(-t^2 / 2) for t >= 1, to 2^-25.3: with s = 1 / (t + 4) and v = (t - 4) * s
/// it is s * polynomial(v).
void tail_ratio(generator_t &g, const Xmm &ratio, const Xmm &t) {
    const vec_t s = g.vec("s"), v = g.vec("v");
    g.vaddps(v, t, g.constant(4));
    g.broadcast(s, 1);
    g.vdivps(s, s, *v);
    g.vsubps(v, t, g.constant(4));
    g.vmulps(v, v, *s);
    polynomial(g, ratio, v,
            {0x1.a9e2a4p-15f, 0x1.815b30p-10f, -0x1.c1513cp-9f, -0x1.ebbc1cp-8f, 0x1.eeb228p-5f,
                    -0x1.7e0094p-3f, 0x1.8c6dd0p-2f, -0x1.373e3ap-1f, 0x1.82b4bcp-1f});
    g.vmulps(ratio, ratio, *s);
}

/// t = the mantissa of e^(-t^2 / 2). t^2 is the sum of two floats, because the exponential
/// multiplies its error.
void density_in_parts(generator_t &g, const Xmm &t, const Xmm &power) {
    const vec_t exponent = g.vec("exponent");
    {
        const vec_t half = g.vec("-t / 2");
        g.vmulps(half, t, g.constant(-0.5f));
        g.vmulps(exponent, t, *half);
        g.vfmsub213ps(t, half, *exponent);
    }
    exp_in_parts(g, exponent, power, &t);
    g.vmovaps(t, *exponent);
}

/// t = ratio * e^(-t^2 / 2)
void multiply_density(generator_t &g, const Xmm &t, const Xmm &ratio) {
    const vec_t power = g.vec("power");
    density_in_parts(g, t, power);
    g.vmulps(t, t, ratio);
    scale_by_power_of_two(g, t, power);
}

} // namespace

// With t = -x: -t * tail(t)
void gelu_erf_tail(generator_t &g, const Xmm &x) {
    take_bounded_magnitude(g, x, x, farthest_normal);
    const vec_t ratio = g.vec("ratio");
    tail_ratio(g, ratio, x);
    g.vmulps(ratio, ratio, x);
    g.vxorps(ratio, ratio, g.constant_bits(sign_bit));
    multiply_density(g, x, ratio);
}

// With t = -x: tail(t) - t * density(t)
void gelu_erf_derivative_tail(generator_t &g, const Xmm &x) {
    constexpr float height = 0x1.988454p-2f; // 1 / sqrt(2 pi)
    take_bounded_magnitude(g, x, x, farthest_normal);
    const vec_t ratio = g.vec("ratio");
    tail_ratio(g, ratio, x);
    g.vfnmadd231ps(ratio, x, g.constant(height));
    multiply_density(g, x, ratio);
}

} // namespace kiln::x64::jit
