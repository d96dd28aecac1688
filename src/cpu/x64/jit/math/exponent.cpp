// SPDX-License-Identifier: Apache-2.0
// Splitting floats into mantissa and exponent, and scaling by powers of two.

#include "cpu/x64/jit/math/exponent.hpp"

#include <bit>
#include <limits>

#include "common/memory/float_conversion.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

using float_format::f32_mantissa_bits;
constexpr uint32_t one_bits = std::bit_cast<uint32_t>(1.0f);

/// x = 2^x as a float, for 32-bit integers x.
void power_of_integer(generator_t &g, const Xmm &x) {
    g.vpslld(x, x, f32_mantissa_bits);
    g.vpaddd(x, x, g.constant_bits(one_bits));
}

/// x *= 2^power as three factors, each with a normal exponent. Only the last product can be
/// subnormal, so x is rounded once.
void scale_in_thirds(generator_t &g, const Xmm &x, const Xmm &power) {
    const vec_t third = g.vec("third of the power");
    g.vmulps(third, power, g.constant(1.0f / 3));
    g.vcvtps2dq(third, *third);
    g.vcvtps2dq(power, power);
    g.vpsubd(power, power, *third);
    g.vpsubd(power, power, *third);
    power_of_integer(g, third);
    power_of_integer(g, power);
    for (const Xmm &factor : {*third, *third, power}) g.vmulps(x, x, factor);
}

void split_by_instructions(generator_t &g, const Xmm &x, const Xmm &power) {
    constexpr uint8_t from_three_quarters = 3;
    constexpr uint8_t negative_is_nan = 3 << 2;
    const vec_t extra = g.vec("exponent of the mantissa");
    g.vgetexpps(power, x);
    g.vgetmantps(x, x, from_three_quarters | negative_is_nan);
    g.vgetexpps(extra, x); // -1 below one
    g.vsubps(power, power, *extra);
}

/// Multiplies subnormal lanes of x by 2^23. Returns what to add to the exponent: -23 in these
/// lanes, 0 in the others.
vec_t lift_subnormals(generator_t &g, const Xmm &x) {
    vec_t lifted = g.vec("lifted");
    const lane_condition_t is_small(
            g, x, comparison_t::lt, g.constant(std::numeric_limits<float>::min()));
    g.vmulps(lifted, x, g.constant(0x1p23f));
    is_small.select(x, *lifted);
    g.broadcast(lifted, -f32_mantissa_bits);
    is_small.keep(lifted);
    return lifted;
}

void split_by_bits(generator_t &g, const Xmm &x, const Xmm &power) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const vec_t exponent_bits = g.vec("exponent bits");
    {
        const vec_t correction = lift_subnormals(g, x);
        // The exponent of x / 0.75 rises where the mantissa, from 0.75 on, begins again.
        g.vpsubd(power, x, g.constant(0.75f));
        g.vpsrad(power, power, f32_mantissa_bits);
        g.vpslld(exponent_bits, power, f32_mantissa_bits);
        g.vcvtdq2ps(power, power);
        g.vaddps(power, power, *correction);
    }
    lane_condition_t(g, x, comparison_t::not_lt, g.constant(infinity)).select(power, x);
    lane_condition_t(g, x, comparison_t::eq, g.constant(0)).select(power, g.constant(-infinity));
    lane_condition_t(g, x, comparison_t::lt, g.constant(0)).select(power, g.constant(nan));
    g.vpsubd(x, x, *exponent_bits);
}

} // namespace

void round_to_integer(generator_t &g, const Xmm &to, const Xmm &from) {
    constexpr uint8_t nearest_even = 0x8; // inexact is not signalled
    if (g.has_avx512())
        g.vrndscaleps(to, from, nearest_even);
    else
        g.vroundps(to, from, nearest_even);
}

void power_of_two(generator_t &g, const Xmm &x) {
    g.vcvtps2dq(x, x);
    power_of_integer(g, x);
}

void scale_by_power_of_two(generator_t &g, const Xmm &x, const Xmm &power) {
    if (g.has_avx512())
        g.vscalefps(x, x, power);
    else
        scale_in_thirds(g, x, power);
}

void drop_underflow(generator_t &g, const Xmm &x, const Xmm &power, int magnitude) {
    if (g.has_avx512()) return;   // vscalefps
    constexpr int of_zero = -151; // smaller numbers are rounded to 0
    const auto least = static_cast<float>(of_zero - magnitude);
    lane_condition_t(g, power, comparison_t::not_lt, g.constant(least)).keep(x);
}

void split_exponent(generator_t &g, const Xmm &x, const Xmm &power) {
    if (g.has_avx512())
        split_by_instructions(g, x, power);
    else
        split_by_bits(g, x, power);
}

} // namespace kiln::x64::jit
