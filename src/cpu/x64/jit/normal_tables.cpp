// SPDX-License-Identifier: Apache-2.0
// The function gelu_erf of negative numbers and its derivative. With t = |x|, the
// tail of the normal distribution is e^(-t^2 / 2) * r(t), where r is smooth: a polynomial in each
// of 16 segments.

#include "cpu/x64/jit/activation_tables.hpp"

#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

/// The tail beyond it, times any float, rounds to zero.
constexpr float farthest_normal = 14.9f;

// A segment is a quarter of an octave of t + 1; its index is the lowest two bits of the exponent
// and the highest two of the fraction.
constexpr uint32_t segment_bits = 0xffe00000;
constexpr int segment_shift = 21;

/// Coefficients of r in the distance from where the segment begins, highest power first, to 2^-23.
constexpr float_table_t ratio_coefficients[] = {
        {-0x1.05b62cp-9f, -0x1.b4779ep-11f, -0x1.899cd8p-12f, -0x1.7c393ap-13f, -0x1.206acep-14f,
                -0x1.70ce6p-16f, -0x1.139466p-17f, -0x1.d1945cp-19f, -0x1.35c72p-20f,
                -0x1.64c51p-22f, -0x1.f83086p-24f, -0x1.9d65cap-25f, -0x1.47153p-6f,
                -0x1.761baep-7f, -0x1.b7ce88p-8f, -0x1.094d0cp-8f},
        {0x1.1ba064p-7f, 0x1.fd5974p-9f, 0x1.ee1b2cp-10f, 0x1.004c86p-10f, 0x1.04bc8ap-11f,
                0x1.73644cp-13f, 0x1.333816p-14f, 0x1.1d709ep-15f, 0x1.08fde2p-16f, 0x1.5b156p-18f,
                0x1.136752p-19f, 0x1.f5a3b4p-21f, 0x1.f18b92p-5f, 0x1.295944p-5f, 0x1.6d53eap-6f,
                0x1.cc957p-7f},
        {-0x1.989056p-6f, -0x1.97ab84p-7f, -0x1.b5e0aep-8f, -0x1.f4d7a8p-9f, -0x1.2b13b4p-9f,
                -0x1.f29aeap-11f, -0x1.dc1234p-12f, -0x1.f7e712p-13f, -0x1.1d0b7ap-13f,
                -0x1.c1fd4p-15f, -0x1.a3df9cp-16f, -0x1.b8d528p-17f, -0x1.0fe366p-3f,
                -0x1.58d0b6p-4f, -0x1.c14fc2p-5f, -0x1.2c33cep-5f},
        {0x1.fca462p-5f, 0x1.2032c6p-5f, 0x1.5d250cp-6f, 0x1.bf2ff4p-7f, 0x1.2bd22p-7f,
                0x1.2dbc8cp-8f, 0x1.5417bp-9f, 0x1.a0e0f6p-10f, 0x1.1020eap-10f, 0x1.0b4f36p-11f,
                0x1.2b887cp-12f, 0x1.6fcf86p-13f, 0x1.fff94p-3f, 0x1.5c52cap-3f, 0x1.e67dcap-4f,
                0x1.5bf59cp-4f},
        {-0x1.1951eap-3f, -0x1.71c004p-4f, -0x1.00f9bcp-4f, -0x1.75ab4ap-5f, -0x1.19cdcap-5f,
                -0x1.5cf8dcp-6f, -0x1.d61484p-7f, -0x1.50689cp-7f, -0x1.f7d2dp-8f, -0x1.37807cp-8f,
                -0x1.a5da6p-9f, -0x1.301286p-9f, -0x1.98844p-2f, -0x1.2e8648p-2f, -0x1.cb062p-3f,
                -0x1.63e06ap-3f},
        {0x1.0bdb2ep-2f, 0x1.a57056p-3f, 0x1.5845dcp-3f, 0x1.217252p-3f, 0x1.f1b89ap-4f,
                0x1.82b4bap-4f, 0x1.3b0fbcp-4f, 0x1.095608p-4f, 0x1.c9e11ep-5f, 0x1.66ccb8p-5f,
                0x1.26b4dp-5f, 0x1.f3ddc2p-6f, 0x1p-1f, 0x1.a7f808p-2f, 0x1.66027ap-2f,
                0x1.337024p-2f},
};

/// ratio = r(t) for t from 0 to `farthest_normal`.
void tail_ratio(generator_t &g, const Xbyak::Xmm &ratio, const Xbyak::Xmm &t) {
    const vec_t index = g.vec("segment"), place = g.vec("place in it");
    g.vaddps(place, t, g.constant(1));
    g.vpsrld(index, *place, segment_shift);
    make_index(g, index);
    g.vandps(place, place, g.constant_bits(segment_bits));
    g.vsubps(place, place, g.constant(1));
    g.vsubps(place, t, *place);
    piecewise_polynomial(g, ratio, place, ratio_coefficients, index);
}

/// t = the mantissa of e^(-t^2 / 2). t^2 is the sum of two floats, because the exponential
/// multiplies its error.
void density_in_parts(generator_t &g, const Xbyak::Xmm &t, const Xbyak::Xmm &power) {
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

} // namespace

// -t * tail(t)
void gelu_erf_tail(generator_t &g, const Xbyak::Xmm &x) {
    take_bounded_magnitude(g, x, x, farthest_normal);
    const vec_t ratio = g.vec("ratio");
    tail_ratio(g, ratio, x);
    const vec_t power = g.vec("power");
    g.vmulps(ratio, ratio, x);
    density_in_parts(g, x, power);
    g.vmulps(x, x, *ratio);
    scale_by_power_of_two(g, x, power);
    g.set_zero(ratio);
    g.vsubps(x, ratio, x);
}

// With d = t * density(t) - tail(t): 1 + d for x > 0, else -d.
void gelu_erf_derivative(generator_t &g, const Xbyak::Xmm &x) {
    constexpr float height = 0x1.988454p-2f; // 1 / sqrt(2 pi)
    const vec_t t = g.vec("t, then d"), ratio = g.vec("ratio");
    take_bounded_magnitude(g, t, x, farthest_normal);
    tail_ratio(g, ratio, t);
    g.vfmsub231ps(ratio, t, g.constant(height));
    const vec_t power = g.vec("power");
    density_in_parts(g, t, power);
    g.vmulps(t, t, *ratio);
    scale_by_power_of_two(g, t, power);
    const lane_condition_t is_above(g, x, comparison_t::gt, g.constant(0));
    g.vxorps(x, t, g.constant_bits(sign_bit));
    g.vaddps(t, t, g.constant(1));
    is_above.select(x, *t);
}

} // namespace kiln::x64::jit
