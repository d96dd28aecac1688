// SPDX-License-Identifier: Apache-2.0
// Arithmetic in double on one half of a vector of floats at a time.

#include "cpu/x64/jit/math/f64_halves.hpp"

#include <bit>

namespace kiln::x64::jit {
Xbyak::Address f64_constant(generator_t &g, double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return g.constant_lanes([&](uint32_t lane) {
        return static_cast<uint32_t>(lane % 2 == 0 ? bits : bits >> 32);
    });
}

void widen_half(generator_t &g, const Xmm &to, const Xmm &from, int half) {
    if (half == 0) return g.vcvtps2pd(to, g.lower_half(from));
    if (g.has_avx512())
        g.vextractf64x4(generator_t::ymm(to), Xbyak::Zmm(from.getIdx()), 1);
    else
        g.vextractf128(generator_t::xmm(to), generator_t::ymm(from), 1);
    g.vcvtps2pd(to, g.lower_half(to));
}

void narrow_into_half(generator_t &g, const Xmm &to, const Xmm &from, int half) {
    const auto index = static_cast<uint8_t>(half);
    g.vcvtpd2ps(g.lower_half(from), from);
    if (g.has_avx512())
        g.vinsertf64x4(
                Xbyak::Zmm(to.getIdx()), Xbyak::Zmm(to.getIdx()), generator_t::ymm(from), index);
    else
        g.vinsertf128(generator_t::ymm(to), generator_t::ymm(to), generator_t::xmm(from), index);
}

void round_f64_to_integer(generator_t &g, const Xmm &to, const Xmm &from) {
    constexpr uint8_t nearest_even = 0x8; // inexact is not signalled
    if (g.has_avx512())
        g.vrndscalepd(to, from, nearest_even);
    else
        g.vroundpd(to, from, nearest_even);
}

void f64_power_of_two(generator_t &g, const Xmm &x) {
    // The sum holds x and the exponent's bias in its lowest bits.
    constexpr double mantissa_as_integer = 0x1.8p52;
    constexpr double bias = 1023;
    g.vaddpd(x, x, f64_constant(g, mantissa_as_integer + bias));
    g.vpsllq(x, x, 52);
}

void f64_polynomial(
        generator_t &g, const Xmm &sum, const Xmm &x, std::initializer_list<double> coefficients) {
    const double *next = coefficients.begin();
    g.vmovupd(sum, f64_constant(g, *next++));
    while (next != coefficients.end()) g.vfmadd213pd(sum, x, f64_constant(g, *next++));
}

} // namespace kiln::x64::jit
