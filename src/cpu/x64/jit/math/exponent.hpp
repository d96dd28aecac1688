// SPDX-License-Identifier: Apache-2.0
// Splitting floats into mantissa and exponent, and scaling by powers of two: by instructions of
// AVX-512, by integer arithmetic on the bits with AVX2. All vectors are full() and are changed in
// place. Needs up to three vectors.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

// Constants of e^x = 2^n * e^r, where n is the integer nearest to x / ln(2) and r = x - n * ln(2).
// ln(2) is the sum of two floats. Both are positive, so that the sum of their infinite multiples is
// infinite and not NaN.
constexpr float ln2_high = 0x1.62e42ep-1f;
constexpr float ln2_low = 0x1.efa39ep-25f;
constexpr float log2_of_e = 0x1.715476p0f;

/// to = the integer nearest to from, ties to even.
void round_to_integer(generator_t &g, const Xmm &to, const Xmm &from);

/// x = 2^x for integers from -126 to 127.
void power_of_two(generator_t &g, const Xmm &x);

/// x *= 2^power for integers with a magnitude up to 301, rounded once; NaN stays NaN. `power`
/// becomes undefined. AVX-512: 2^floor(power).
void scale_by_power_of_two(generator_t &g, const Xmm &x, const Xmm &power);

/// Before scale_by_power_of_two(): x = 0 where the result is 0 because power is small, for the
/// products of such lanes take long with AVX2. Where |x| > 2^magnitude, power is not small, or at
/// most -290.
void drop_underflow(generator_t &g, const Xmm &x, const Xmm &power, int magnitude);

/// Splits x, subnormal or not: x = mantissa * 2^power. x becomes the mantissa, in [0.75, 1.5). For
/// +-0 and infinity the mantissa is 1 and the power infinite; for NaN and negative numbers at least
/// one of them is NaN.
void split_exponent(generator_t &g, const Xmm &x, const Xmm &power);

} // namespace kiln::x64::jit
