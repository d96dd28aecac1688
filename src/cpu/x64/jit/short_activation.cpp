// SPDX-License-Identifier: Apache-2.0
// Activation functions for results that are rounded to 16 bits, with AVX-512.

#include "cpu/x64/jit/activation.hpp"

#include "cpu/x64/jit/math.hpp"
#include "cpu/x64/jit/normal_tables.hpp"

namespace kiln::x64::jit {
namespace {

constexpr float log2_e = 0x1.715476p+0f;

/// gelu_erf: the logarithm to base 2 of the tail of the normal distribution at t, in 16 segments of
/// a quarter of an octave of t + 1 (normal_tables.cpp), as coefficients of powers of t, highest
/// power first; to 2^-21.
constexpr float_table_t log_tail[] = {
        {0x1.09aafep-8f, 0x1.75cc2ap-9f, 0x1.02af2p-9f, 0x1.6627a6p-10f, 0x1.a6eab2p-11f,
                0x1.b5b97ep-12f, 0x1.e33588p-13f, 0x1.1b2956p-13f, 0x1.1a7acep-14f, 0x1.faec6p-16f,
                0x1.017ab2p-16f, 0x1.20f0cp-17f, 0x1.c1878p-8f, 0x1.a8dd24p-8f, 0x1.7fc3d8p-8f,
                0x1.501e32p-8f},
        {-0x1.68abbep-5f, -0x1.2e07ecp-5f, -0x1.e9c722p-6f, -0x1.86e56ep-6f, -0x1.162ce2p-6f,
                -0x1.63728ep-7f, -0x1.d48db4p-8f, -0x1.3fd3d8p-8f, -0x1.832f36p-9f,
                -0x1.ae25f8p-10f, -0x1.04c77ep-10f, -0x1.53b46p-11f, -0x1.ad51dp-5f,
                -0x1.aa0114p-5f, -0x1.9f9e56p-5f, -0x1.8db8e4p-5f},
        {-0x1.e14de4p-2f, -0x1.f1c51p-2f, -0x1.038e78p-1f, -0x1.0f186p-1f, -0x1.1f62p-1f,
                -0x1.31fc78p-1f, -0x1.400d54p-1f, -0x1.4a6ed2p-1f, -0x1.54fb74p-1f, -0x1.5deb6ap-1f,
                -0x1.6351b8p-1f, -0x1.66c0acp-1f, -0x1.d63f3cp-2f, -0x1.d66baep-2f, -0x1.d76ac6p-2f,
                -0x1.d9f3c4p-2f},
        {-0x1.24f69ap+0f, -0x1.20d472p+0f, -0x1.19b86ep+0f, -0x1.10201ep+0f, -0x1.feaf48p-1f,
                -0x1.cd8626p-1f, -0x1.9efb96p-1f, -0x1.75b412p-1f, -0x1.437188p-1f, -0x1.0e811cp-1f,
                -0x1.ce87ap-2f, -0x1.9374bp-2f, -0x1.26aec2p+0f, -0x1.26acap+0f, -0x1.26969cp+0f,
                -0x1.26447p+0f},
        {-0x1.006bfep+0f, -0x1.01fcb4p+0f, -0x1.058d0cp+0f, -0x1.0b8c28p+0f, -0x1.188d8ap+0f,
                -0x1.30fdfp+0f, -0x1.4ded5ap+0f, -0x1.6cbffp+0f, -0x1.99bd8p+0f, -0x1.d4b084p+0f,
                -0x1.051fdcp+1f, -0x1.1cf9aep+1f, -0x1p+0f, -0x1.000028p+0f, -0x1.00030ap+0f,
                -0x1.0012bap+0f},
};

} // namespace

// max(x, 0) - t * tail(t) with t = |x|
void short_gelu_erf(generator_t &g, const Xbyak::Xmm &x) {
    const vec_t t = g.vec("t"), exponent = g.vec("log2(tail)");
    g.vmovaps(t, x);
    take_magnitude(g, t);
    at_most(g, t, farthest_normal);
    {
        const vec_t segment = g.vec("segment");
        g.vaddps(segment, t, g.constant(1));
        g.vpsrld(segment, segment, normal_segment_shift);
        piecewise_polynomial(g, exponent, t, log_tail, segment);
    }
    short_exp2(g, exponent);
    at_least(g, x, 0);
    g.vfnmadd231ps(x, t, *exponent);
}

// x / (1 + 2^p), p = x * (c0 + c1 * x^2). Both terms of the sum are scaled, so that it is finite
// where the result is nearly 0.
void short_gelu_tanh(generator_t &g, const Xbyak::Xmm &x) {
    constexpr float c0 = -0x1.26aec2p+1f, c1 = -0x1.a5a7dp-4f;
    constexpr float closed = 11; // from here on the gate is 0 or 1
    constexpr int scale = 64;
    at_least(g, x, -closed);
    const vec_t bounded = g.vec("bounded x"), p = g.vec("p, then sum");
    g.vmovaps(bounded, x);
    at_most(g, bounded, closed);
    g.vmulps(p, bounded, *bounded);
    {
        const vec_t factor = g.vec("c0 + c1 * x^2");
        g.broadcast(factor, c1);
        g.vfmadd213ps(p, factor, g.constant(c0));
    }
    g.vmulps(p, p, *bounded);
    short_exp2(g, p, scale);
    g.broadcast(bounded, 0x1p-64f);
    g.vaddps(p, p, *bounded);
    g.vdivps(bounded, bounded, *p);
    g.vmulps(x, x, *bounded);
}

// With e = e^x, tanh(log(1 + e)) is n / (n + 2), n = e * (e + 2).
void short_mish(generator_t &g, const Xbyak::Xmm &x) {
    constexpr float closed = -128, open = 20; // the gate is 0 below and 1 above
    at_least(g, x, closed);
    const vec_t e = g.vec("e, then n + 2"), n = g.vec("n");
    g.vmovaps(e, x);
    at_most(g, e, open);
    g.vmulps(e, e, g.constant(log2_e));
    short_exp2(g, e);
    g.vaddps(n, e, g.constant(2));
    g.vmulps(n, n, *e);
    g.vaddps(e, n, g.constant(2));
    g.vdivps(n, n, *e);
    g.vmulps(x, x, *n);
}

} // namespace kiln::x64::jit
