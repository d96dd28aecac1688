// SPDX-License-Identifier: Apache-2.0
// The exponent of floats, taken off and put on. AVX-512 has instructions for it; with AVX2 it is
// arithmetic on bits. All vectors are full(), and are changed in place.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// to = the integer nearest to from, ties to even.
void round_to_integer(generator_t &g, const Xbyak::Xmm &to, const Xbyak::Xmm &from);

/// x = 2^x for integers from -126 to 127.
void power_of_two(generator_t &g, const Xbyak::Xmm &x);

/// x *= 2^power for integers with a magnitude up to 300, rounded once; NaN in x stays. `power` is
/// left undefined.
void scale_by_power_of_two(generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &power);

/// x = mantissa in [0.75, 1.5) and power such that their product mantissa * 2^power is x, subnormal
/// or not. For +-0 and infinity the mantissa is 1 and the power infinite; for NaN and negative
/// numbers at least one of them is NaN.
void split_exponent(generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &power);

} // namespace kiln::x64::jit
