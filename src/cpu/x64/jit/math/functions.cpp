// SPDX-License-Identifier: Apache-2.0
// Elementary functions of a vector of floats. Coefficients of polynomials are minimax fits: each is
// rounded to float in turn and the remaining ones are fitted again. Errors are relative to the
// function.

#include "cpu/x64/jit/math/functions.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <optional>
#include <vector>

#include "common/memory/float_conversion.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation_tables.hpp"
#include "cpu/x64/jit/math/exponent.hpp"

namespace kiln::x64::jit {
namespace {

/// power = the integer nearest to x / ln(2), x -= power * ln(2).
void reduce_exponent(generator_t &g, const Xmm &x, const Xmm &power) {
    g.vmulps(power, x, g.constant(log2_of_e));
    round_to_integer(g, power, power);
    g.vfnmadd231ps(x, power, g.constant(ln2_high)); // exact
    g.vfnmadd231ps(x, power, g.constant(ln2_low));
}

/// sum = (e^x - 1 - x) / x^2 for |x| <= ln(2) / 2, so that e^x - 1 is known to 2^-26.1.
void exp_polynomial(generator_t &g, const Xmm &sum, const Xmm &x) {
    polynomial(g, sum, x,
            {0x1.6b7c98p-10f, 0x1.122688p-7f, 0x1.55570ep-5f, 0x1.5554b2p-3f, 0x1.fffffep-2f});
}

/// 2^(i / 16) in two floats: rounded, and what is left of it, relative to the first one.
std::vector<uint32_t> sixteenth_powers(bool is_rest) {
    constexpr int count = 16;
    std::vector<uint32_t> bits;
    for (int i = 0; i < count; ++i) {
        const double power = std::exp2(static_cast<double>(i) / count);
        const auto rounded = static_cast<float>(power);
        const double rest = power / static_cast<double>(rounded) - 1;
        bits.push_back(std::bit_cast<uint32_t>(is_rest ? static_cast<float>(rest) : rounded));
    }
    return bits;
}

/// The lowest bits of a sum with it are those of the nearest multiple of 1/16.
constexpr float sixteenths = 0x1.8p19f;

// With n = the multiple of 1/16 nearest to x / ln(2), f = 2^(n - floor(n)) and r = x - n * ln(2),
// |r| <= ln(2) / 32: e^x = (f + f * (e^r - 1)) * 2^floor(n), e^r - 1 to 2^-28.6. Scaling by an
// instruction takes the floor.
void exp_by_table(generator_t &g, const Xmm &x, const Xmm &power, const Xmm *low) {
    const vec_t factor = g.vec("f"), rest = g.vec("n, then what is left of f");
    g.broadcast(rest, sixteenths);
    g.vfmadd231ps(rest, x, g.constant(log2_of_e));
    g.vsubps(power, rest, g.constant(sixteenths));
    g.vpermps(g.zmm(factor), g.zmm(rest), g.constant_table(sixteenth_powers(false)));
    g.vpermps(g.zmm(rest), g.zmm(rest), g.constant_table(sixteenth_powers(true)));
    g.vfnmadd231ps(x, power, g.constant(ln2_high)); // exact
    g.vfnmadd231ps(low ? *low : x, power, g.constant(ln2_low));
    std::optional<vec_t> own;
    if (low)
        g.vaddps(x, x, *low);
    else
        own.emplace(g.vec("polynomial"));
    const Xmm &sum = low ? *low : **own;
    polynomial(g, sum, x, {0x1.5556dep-3f, 0x1.0001ecp-1f, 1});
    g.vfmadd213ps(sum, x, rest);
    g.vmovaps(x, *factor);
    g.vfmadd231ps(x, factor, sum);
}

/// e^x for x <= 89, which may be subnormal. Lanes whose result is 0 are not scaled, because
/// underflow takes long.
void scaled_exp(generator_t &g, const Xmm &x) {
    constexpr float lowest = -104; // the result is 0 below
    const vec_t power = g.vec("power");
    if (g.has_avx512()) {
        const mask_t is_kept = g.mask("result is not 0");
        g.vcmpps(is_kept, x, g.constant(lowest), static_cast<uint8_t>(comparison_t::not_lt));
        exp_in_parts(g, x, power);
        g.vscalefps(x | is_kept | Xbyak::util::T_z, x, power);
    } else {
        at_least(g, x, 2 * lowest); // what exp_in_parts() takes
        exp_in_parts(g, x, power);
        drop_underflow(g, x, power, 1);
        scale_by_power_of_two(g, x, power);
    }
}

/// x = e^x where the result is normal, else what `write_far` makes of a copy of x. Its instructions
/// are skipped where no lane needs them.
template <typename write_t>
void exp_by_range(generator_t &g, const Xmm &x, const write_t &write_far) {
    const vec_t far = g.vec("copy of x");
    g.vmovaps(far, x);
    const lane_condition_t is_far = is_beyond(g, x, normal_exp_range);
    exp_of_normal_range(g, x);
    Xbyak::Label end;
    is_far.jump_if_none(end);
    write_far(far);
    is_far.select(x, far);
    g.L(end);
}

} // namespace

lane_condition_t is_beyond(generator_t &g, const Xmm &x, float bound) {
    const vec_t magnitude = g.vec("magnitude");
    g.vandps(magnitude, x, g.constant_bits(~sign_bit));
    return lane_condition_t(g, magnitude, comparison_t::not_le, g.constant(bound));
}

void at_least(generator_t &g, const Xmm &x, float bound) {
    const vec_t lowest = g.vec("lowest");
    g.broadcast(lowest, bound);
    g.vmaxps(x, *lowest, x); // for NaN the result is the last operand
}

void at_most(generator_t &g, const Xmm &x, float bound) {
    const vec_t highest = g.vec("highest");
    g.broadcast(highest, bound);
    g.vminps(x, *highest, x);
}

void clamp(generator_t &g, const Xmm &x, float lowest, float highest) {
    at_least(g, x, lowest);
    at_most(g, x, highest);
}

void divide_by(generator_t &g, const Xmm &to, const Xmm &x, dim_t divisor) {
    const auto by = static_cast<float>(divisor);
    if (std::has_single_bit(static_cast<uint64_t>(divisor)))
        g.vmulps(to, x, g.constant(1 / by));
    else
        g.vdivps(to, x, g.constant(by));
}

void keep_finite(generator_t &g, const Xmm &x) {
    // vfixupimmps: NaN and infinities become +0.
    constexpr uint32_t not_finite_to_zero = 0x00880088;
    if (g.has_avx512()) return g.vfixupimmps(x, x, g.constant_bits(not_finite_to_zero), 0);
    const vec_t zero = g.vec("x - x");
    g.vsubps(zero, x, x);
    lane_condition_t(g, zero, comparison_t::eq, g.constant(0)).keep(x);
}

void linear(generator_t &g, const Xmm &x, float alpha, float beta) {
    const vec_t factor = g.vec("alpha");
    g.broadcast(factor, alpha);
    g.vfmadd213ps(x, factor, g.constant(beta));
}

void take_magnitude(generator_t &g, const Xmm &x) { g.vandps(x, x, g.constant_bits(~sign_bit)); }

void take_bounded_magnitude(generator_t &g, const Xmm &to, const Xmm &x, float bound) {
    g.vandps(to, x, g.constant_bits(~sign_bit));
    at_most(g, to, bound);
}

void take_least_magnitude(generator_t &g, const Xmm &to, const Xmm &x, float bound) {
    constexpr uint8_t least_magnitude = 0xa; // of two numbers, without its sign
    g.vrangeps(to, x, g.constant(bound), least_magnitude);
}

void divide(generator_t &g, float numerator, const Xmm &x) {
    const vec_t quotient = g.vec("quotient");
    g.broadcast(quotient, numerator);
    g.vdivps(x, quotient, x);
}

void polynomial(
        generator_t &g, const Xmm &sum, const Xmm &x, std::initializer_list<float> coefficients) {
    const float *next = coefficients.begin();
    g.broadcast(sum, *next++);
    while (next != coefficients.end()) g.vfmadd213ps(sum, x, g.constant(*next++));
}

void look_up(generator_t &g, const Xmm &to, std::span<const float> table, const Xmm &index) {
    const auto lanes = static_cast<size_t>(g.lanes());
    assert(table.size() <= (g.has_avx512() ? 2 * lanes : lanes));
    const auto constant = [&](std::span<const float> part) {
        std::vector<uint32_t> bits;
        for (const float value : part) bits.push_back(std::bit_cast<uint32_t>(value));
        bits.resize(lanes);
        return g.constant_table(bits);
    };
    if (table.size() > lanes) {
        g.vmovaps(g.zmm(to), constant(table.first(lanes)));
        g.vpermt2ps(g.zmm(to), g.zmm(index), constant(table.subspan(lanes)));
    } else if (g.has_avx512()) {
        g.vpermps(g.zmm(to), g.zmm(index), constant(table));
    } else {
        g.vpermps(g.ymm(to), g.ymm(index), constant(table));
    }
}

void exp_in_parts(generator_t &g, const Xmm &x, const Xmm &power, const Xmm *low) {
    if (g.has_avx512()) return exp_by_table(g, x, power, low);
    reduce_exponent(g, x, power);
    if (low) g.vaddps(x, x, *low);
    const vec_t sum = g.vec("polynomial");
    exp_polynomial(g, sum, x);
    g.vfmadd213ps(sum, x, g.constant(1));
    g.vfmadd213ps(x, sum, g.constant(1));
}

void join_parts(generator_t &g, const Xmm &to, const Xmm &x, const Xmm &power) {
    if (g.has_avx512()) return g.vscalefps(to, x, power);
    g.vmaxps(to, power, g.constant(-125)); // the product is normal
    power_of_two(g, to);
    g.vmulps(to, to, x);
}

// The lowest bits of x / ln(2) + integers are those of the exponent.
void exp_of_normal_range(generator_t &g, const Xmm &x) {
    constexpr float integers = 0x1.8p23f;
    const vec_t exponent = g.vec("exponent"), sum = g.vec("exponent, then polynomial");
    g.broadcast(exponent, integers);
    g.vfmadd231ps(exponent, x, g.constant(log2_of_e));
    g.vsubps(sum, exponent, g.constant(integers));
    g.vfnmadd231ps(x, sum, g.constant(ln2_high)); // exact
    g.vfnmadd231ps(x, sum, g.constant(ln2_low));
    exp_polynomial(g, sum, x);
    g.vfmadd213ps(sum, x, g.constant(1));
    g.vfmadd213ps(x, sum, g.constant(1));
    g.vpslld(exponent, exponent, float_format::f32_mantissa_bits);
    g.vpaddd(x, x, exponent);
}

void exp(generator_t &g, const Xmm &x) {
    if (!g.has_avx512())
        return exp_by_range(g, x, [&](const Xmm &far) {
            at_most(g, far, 89); // the result is infinite above
            scaled_exp(g, far);
        });
    at_most(g, x, 89);
    scaled_exp(g, x);
}

void exp_of_non_positive(generator_t &g, const Xmm &x) {
    if (g.has_avx512()) return scaled_exp(g, x);
    exp_by_range(g, x, [&](const Xmm &far) { scaled_exp(g, far); });
}

void expm1_of_non_positive(generator_t &g, const Xmm &x) {
    at_least(g, x, -40); // the result is -1 below
    const vec_t power = g.vec("power");
    const vec_t sum = g.vec("polynomial");
    reduce_exponent(g, x, power);
    exp_polynomial(g, sum, x);
    g.vmulps(sum, sum, x);
    g.vfmadd213ps(sum, x, x);
    // 2^power * (e^x - 1) + (2^power - 1)
    power_of_two(g, power);
    g.vsubps(x, power, g.constant(1));
    g.vfmadd231ps(x, power, *sum);
}

// x = m * 2^p with r = m - 1 in [-0.25, 0.5):
//     log(x) = p * ln(2) + log(1 + r),   log(1 + r) = r - r^2 / 2 + r^3 * polynomial to 2^-27.6
// Near 1, p is 0 and r is exact, so the relative error stays small.
void log(generator_t &g, const Xmm &x) {
    const vec_t power = g.vec("power");
    split_exponent(g, x, power);
    g.vsubps(x, x, g.constant(1));
    const vec_t sum = g.vec("polynomial");
    polynomial(g, sum, x,
            {-0x1.71428ep-5f, 0x1.aca446p-4f, -0x1.0d93fcp-3f, 0x1.2885dcp-3f, -0x1.54eed4p-3f,
                    0x1.996970p-3f, -0x1.000044p-2f, 0x1.5555a4p-2f, -0.5f});
    const vec_t square = g.vec("square");
    g.vmulps(square, x, x);
    g.vmulps(sum, sum, *square);
    g.vfmadd231ps(sum, power, g.constant(ln2_low));
    g.vaddps(x, x, *sum);
    g.vfmadd231ps(x, power, g.constant(ln2_high));
}

// With e = e^-|x|: 1 / (1 + e), or e / (1 + e) for negative x. The quotient is corrected by what
// d = 1 + e lost when it was rounded: by its relative error (e - (d - 1)) / d, where 1 / d is about
// 1 - e / 2.
void logistic(generator_t &g, const Xmm &x) {
    if (g.has_avx512()) return logistic_by_tables(g, x);
    const vec_t quotient = g.vec("numerator, then quotient");
    {
        const lane_condition_t is_negative(g, x, comparison_t::lt, g.constant(0));
        g.vorps(x, x, g.constant_bits(sign_bit));
        exp_of_non_positive(g, x);
        g.broadcast(quotient, 1);
        is_negative.select(quotient, x);
    }
    const vec_t sum = g.vec("1 + e"), error = g.vec("relative error of 1 + e");
    g.vaddps(sum, x, g.constant(1));
    g.vdivps(quotient, quotient, *sum);
    g.vsubps(sum, sum, g.constant(1));
    g.vsubps(error, x, *sum);
    g.broadcast(sum, 1);
    g.vfnmadd231ps(sum, x, g.constant(0.5f));
    g.vmulps(error, error, *sum);
    g.vmovaps(x, *quotient);
    g.vfnmadd231ps(x, error, *quotient);
}

} // namespace kiln::x64::jit
