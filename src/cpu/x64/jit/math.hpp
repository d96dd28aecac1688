// SPDX-License-Identifier: Apache-2.0
// Functions of a vector of floats, in place, accurate to a few units in the last place over the
// whole range: subnormal numbers, infinities and NaN included. They know no ISA: what differs
// between AVX2 and AVX-512 is in the words they are made of.
//
// All vectors are full(). Temporaries come from the pool and are given back; no function needs more
// than max_math_temporaries vectors and max_math_masks masks.
#pragma once

#include <initializer_list>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

constexpr int max_math_temporaries = 5;
constexpr int max_math_masks = 1; // AVX-512; AVX2 has none

/// x = max(x, bound) and min(x, bound), where NaN stays.
void at_least(generator_t &g, const Xbyak::Xmm &x, float bound);
void at_most(generator_t &g, const Xbyak::Xmm &x, float bound);
void clamp(generator_t &g, const Xbyak::Xmm &x, float lowest, float highest);

/// x = alpha * x + beta, rounded once.
void linear(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta);
void take_magnitude(generator_t &g, const Xbyak::Xmm &x);

/// sum = c[0] * x^n + ... + c[n], highest power first.
void polynomial(generator_t &g, const Xbyak::Xmm &sum, const Xbyak::Xmm &x,
        std::initializer_list<float> coefficients);

void exp(generator_t &g, const Xbyak::Xmm &x);
/// e^x - 1 where x <= 0; elsewhere something, NaN for NaN.
void expm1_of_non_positive(generator_t &g, const Xbyak::Xmm &x);
void log(generator_t &g, const Xbyak::Xmm &x);
void tanh(generator_t &g, const Xbyak::Xmm &x);
void erf(generator_t &g, const Xbyak::Xmm &x);
/// 1 / (1 + e^-x)
void logistic(generator_t &g, const Xbyak::Xmm &x);
/// alpha * x^beta by the rules of C's pow, where neither parameter is NaN.
void scaled_pow(generator_t &g, const Xbyak::Xmm &x, float alpha, float beta);

// Results in two parts, for products that underflow only if taken together:
// value = x' * 2^power, where |power| <= 300.

/// e^(x + low), for |x| <= 208. `low` is small, and may be absent.
void exp_in_parts(generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &power,
        const Xbyak::Xmm *low = nullptr);
/// The normal distribution's tail beyond x: (1 - erf(x / sqrt(2))) / 2, for x >= 1. From 20 on it
/// is that of 20, which no product of floats can tell from zero.
void normal_tail_in_parts(generator_t &g, const Xbyak::Xmm &x, const Xbyak::Xmm &power);
/// to = x * 2^power as a summand of something near 1: powers below -126 count as -126.
void join_parts(generator_t &g, const Xbyak::Xmm &to, const Xbyak::Xmm &x, const Xbyak::Xmm &power);

} // namespace kiln::x64::jit
