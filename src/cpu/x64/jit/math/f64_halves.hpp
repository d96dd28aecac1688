// SPDX-License-Identifier: Apache-2.0
// Arithmetic in double on one half of a vector of floats at a time. All vectors are full(); `half`
// is 0 (lower) or 1 (upper). Needs none.
#pragma once

#include <initializer_list>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// A double in every lane, as the last operand of a vector instruction.
Xbyak::Address f64_constant(generator_t &g, double value);

/// to = the doubles of one half of from.
void widen_half(generator_t &g, const Xmm &to, const Xmm &from, int half);
/// One half of `to` = `from` rounded to float; `from` becomes undefined.
void narrow_into_half(generator_t &g, const Xmm &to, const Xmm &from, int half);

/// to = the integer nearest to from, ties to even.
void round_f64_to_integer(generator_t &g, const Xmm &to, const Xmm &from);
/// x = 2^x for integers from -1022 to 1023; undefined for NaN.
void f64_power_of_two(generator_t &g, const Xmm &x);

/// sum = c[0] * x^n + ... + c[n], highest power first.
void f64_polynomial(
        generator_t &g, const Xmm &sum, const Xmm &x, std::initializer_list<double> coefficients);

} // namespace kiln::x64::jit
