// SPDX-License-Identifier: Apache-2.0
// The hyperbolic tangent of a vector of floats.

#include "cpu/x64/jit/math/functions.hpp"

#include <bit>

namespace kiln::x64::jit {
namespace {

// AVX-512: a polynomial for each interval of |x|. The ends of the intervals are 0, then the floats
// whose mantissa is 1 or 1.5 from 0.25 to 12; from there on the function is 1.
constexpr int half_octave = 22;        // bits of a float below those that number the intervals
constexpr int first_half_octave = 249; // those of 0.25, the end of interval 0, less 1
static_assert(std::bit_cast<uint32_t>(0.25f) >> half_octave == first_half_octave + 1);

/// The point of each interval that x is compared with. The values at these points are nearly
/// floats.
constexpr float_table_t points = {0, 0x1.400624p-2f, 0x1.c0023cp-2f, 0x1.400dfap-1f, 0x1.c0129cp-1f,
        0x1.3fed1ep+0f, 0x1.bff09ap+0f, 0x1.3ff6bcp+1f, 0x1.c01338p+1f, 0x1.3ffc3cp+2f,
        0x1.bfe89p+2f, 0x1.4p+3f, 0x1.8p+3f};
/// Coefficients of powers of the difference, highest power first.
constexpr float_table_t coefficients[] = {
        {-0x1.2da078p-5f, -0x1.4648dap-4f, -0x1.186b08p-4f, -0x1.8adbaep-6f, 0x1.b844fap-7f,
                0x1.efd1b6p-7f, 0x1.0b23aap-9f, -0x1.71a372p-11f, -0x1.4608p-13f, -0x1.28e626p-17f,
                -0x1.0e1b7p-23f, -0x1.73ff58p-29f, 0},
        {0x1.24d398p-3f, 0x1.616e1p-5f, -0x1.cd6a62p-8f, -0x1.bc2f1p-5f, -0x1.e11eaap-5f,
                -0x1.4337f6p-6f, 0x1.c70e1ep-9f, 0x1.7ae2ep-9f, 0x1.011b0cp-11f, 0x1.e27a2p-16f,
                0x1.1f1872p-21f, 0x1.344732p-29f, 0},
        {-0x1.3077ap-10f, 0x1.43e58p-3f, 0x1.5c32fp-3f, 0x1.1a596ap-3f, 0x1.f1a3aap-5f,
                -0x1.9b879ap-7f, -0x1.816b38p-6f, -0x1.07e1a8p-7f, -0x1.39acf8p-10f,
                -0x1.f97948p-15f, -0x1.383b84p-20f, 0x1.639da8p-27f, 0},
        {-0x1.55454p-2f, -0x1.c196aap-3f, -0x1.16dbeep-3f, -0x1.23563p-6f, 0x1.4f3b5ap-4f,
                0x1.bbc3fap-4f, 0x1.01d8c8p-4f, 0x1.16f41p-6f, 0x1.3bb8f6p-9f, 0x1.f16a82p-14f,
                0x1.23475cp-19f, 0x1.5f8738p-29f, 0},
        {-0x1.1b9818p-20f, -0x1.19962cp-2f, -0x1.5e0ff4p-2f, -0x1.893cd8p-2f, -0x1.6b9ea8p-2f,
                -0x1.e75a2ep-3f, -0x1.b706dep-4f, -0x1.ae176ap-6f, -0x1.dbcadcp-9f,
                -0x1.7cf906p-13f, -0x1.bceeb8p-19f, -0x1.d4a35ap-26f, 0},
        {0x1p+0f, 0x1.d113c4p-1f, 0x1.a944f6p-1f, 0x1.627a08p-1f, 0x1.0242d2p-1f, 0x1.1f48fcp-2f,
                0x1.d2616p-4f, 0x1.b3eeb6p-6f, 0x1.dcab7cp-9f, 0x1.7dafacp-13f, 0x1.c0ceeap-19f,
                0x1.5c0cd4p-27f, 0},
        {0, 0x1.35ff1ep-2f, 0x1.a5747ap-2f, 0x1.1bfe2cp-1f, 0x1.686fb4p-1f, 0x1.b247a4p-1f,
                0x1.e1f878p-1f, 0x1.f92486p-1f, 0x1.ff1174p-1f, 0x1.fff418p-1f, 0x1.ffffc8p-1f,
                0x1p+0f, 0x1p+0f},
};
/// x = tanh(x) for x >= 0
void by_table(generator_t &g, const Xmm &x) {
    at_most(g, x, 12);
    const vec_t interval = g.vec("interval");
    g.vpsrld(interval, x, half_octave);
    g.vpsubd(interval, interval, g.constant_bits(first_half_octave));
    g.vpmaxsd(interval, interval, g.constant_bits(0));
    const vec_t sum = g.vec("point, then polynomial");
    look_up(g, sum, points, interval);
    g.vsubps(x, x, *sum);
    piecewise_polynomial(g, sum, x, coefficients, interval);
    g.vmovaps(x, *sum);
}

/// t /= t + 2 for -1 <= t <= 0: a quotient q that is corrected by its residue (t - q * d) - q * e,
/// in which d = t + 2 is rounded and e = t - (d - 2) is what d lost.
void divide_by_itself_and_two(generator_t &g, const Xmm &t) {
    const vec_t d = g.vec("d, then d - 2"), reciprocal = g.vec("about 1 / d");
    const vec_t q = g.vec("q"), residue = g.vec("residue");
    g.vaddps(d, t, g.constant(2));
    g.vrcpps(reciprocal, *d);
    g.vdivps(q, t, *d);
    g.vmovaps(residue, *q);
    g.vfnmadd213ps(residue, d, t);
    g.vsubps(d, d, g.constant(2));
    g.vsubps(t, t, *d);
    g.vfnmadd231ps(residue, q, t);
    g.vmovaps(t, *q);
    g.vfmadd231ps(t, residue, *reciprocal);
}

/// x = tanh(x) for x >= 0: -t / (t + 2) with t = e^(-2x) - 1
void by_quotient(generator_t &g, const Xmm &x) {
    g.vmulps(x, x, g.constant(-2));
    expm1_of_non_positive(g, x);
    divide_by_itself_and_two(g, x);
}

} // namespace

void tanh(generator_t &g, const Xmm &x) {
    const vec_t magnitude = g.vec("magnitude");
    g.vandps(magnitude, x, g.constant_bits(~sign_bit));
    g.has_avx512() ? by_table(g, magnitude) : by_quotient(g, magnitude);
    // The quotient is not positive.
    g.vandps(x, x, g.constant_bits(sign_bit));
    if (!g.has_avx512()) g.vandps(magnitude, magnitude, g.constant_bits(~sign_bit));
    g.vorps(x, x, *magnitude);
}

} // namespace kiln::x64::jit
