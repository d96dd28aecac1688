// SPDX-License-Identifier: Apache-2.0
// The tail of the normal distribution, and gelu_erf and its derivative where they are made of it.

#include "cpu/x64/jit/math/activation_tables.hpp"

#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

/// The tail beyond it, times any float, rounds to zero.
constexpr float farthest_normal = 20;

/// w = 1 / t^2, nearly: what follows depends on it little.
void inverse_square(generator_t &g, const Xmm &w, const Xmm &t) {
    const vec_t square = g.vec("t^2"), rest = g.vec("1 - w * t^2");
    g.vmulps(square, t, t);
    g.broadcast(rest, 1);
    if (!g.has_avx512()) return g.vdivps(w, rest, square);
    g.vrcp14ps(w, square);
    g.vfnmadd231ps(rest, square, w);
    g.vfmadd231ps(w, w, rest);
}

/// product = -t * tail(t) / e^(-t^2 / 2) for 5.5 <= t <= 20, to 2^-25.4, by w = 1 / t^2.
void tail_product(generator_t &g, const Xmm &product, const Xmm &w) {
    polynomial(g, product, w,
            {0x1.1edbf4p+7f, -0x1.11a51ap+5f, 0x1.75ef34p+2f, -0x1.320784p+0f, 0x1.988290p-2f,
                    -0x1.988452p-2f});
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
    drop_underflow(g, t, power, 1);
    scale_by_power_of_two(g, t, power);
}

} // namespace

// With t = -x: -t * tail(t)
void gelu_erf_tail(generator_t &g, const Xmm &x) {
    take_bounded_magnitude(g, x, x, farthest_normal);
    const vec_t product = g.vec("product");
    {
        const vec_t w = g.vec("1 / t^2");
        inverse_square(g, w, x);
        tail_product(g, product, w);
    }
    multiply_density(g, x, product);
}

// With t = -x: tail(t) - t * density(t), where tail(t) = t * (t * tail(t)) / t^2
void gelu_erf_derivative_tail(generator_t &g, const Xmm &x) {
    constexpr float height = 0x1.988454p-2f; // 1 / sqrt(2 pi)
    take_bounded_magnitude(g, x, x, farthest_normal);
    const vec_t ratio = g.vec("ratio");
    {
        const vec_t w = g.vec("1 / t^2");
        inverse_square(g, w, x);
        tail_product(g, ratio, w);
        g.vmulps(ratio, ratio, w);
    }
    g.vmulps(ratio, ratio, x);
    g.vfnmsub231ps(ratio, x, g.constant(height));
    multiply_density(g, x, ratio);
}

} // namespace kiln::x64::jit
