// SPDX-License-Identifier: Apache-2.0
// Elementary functions of a vector of floats, in place. The error is a few units in the last place
// over the whole range, which includes subnormal numbers, infinities and NaN.
//
// All vectors are full(). Each function needs at most max_math_temporaries vectors and
// max_math_masks masks. Most differences between AVX2 and AVX-512 are in exponent.hpp
// and lane_condition.hpp.
#pragma once

#include <initializer_list>
#include <limits>
#include <span>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {

constexpr int max_math_temporaries = 6;
constexpr int max_math_masks = 2; // AVX-512; AVX2 has none
constexpr uint32_t sign_bit = 0x80000000u;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// x = max(x, bound) and x = min(x, bound). NaN stays NaN.
void at_least(generator_t &g, const Xmm &x, float bound);
void at_most(generator_t &g, const Xmm &x, float bound);
void clamp(generator_t &g, const Xmm &x, float lowest, float highest);

/// to = x / divisor, correctly rounded: by a multiplication if the reciprocal is exact, which takes
/// a third of the time.
void divide_by(generator_t &g, const Xmm &to, const Xmm &x, dim_t divisor);

/// x = 0 in the lanes in which it is infinite or NaN.
void keep_finite(generator_t &g, const Xmm &x);

/// x = alpha * x + beta, rounded once.
void linear(generator_t &g, const Xmm &x, float alpha, float beta);
void take_magnitude(generator_t &g, const Xmm &x);
/// to = min(|x|, bound), NaN for NaN.
void take_bounded_magnitude(generator_t &g, const Xmm &to, const Xmm &x, float bound);
/// The same by one instruction of AVX-512: the bound where x is NaN.
void take_least_magnitude(generator_t &g, const Xmm &to, const Xmm &x, float bound);
/// x = numerator / x
void divide(generator_t &g, float numerator, const Xmm &x);

/// sum = c[0] * x^n + ... + c[n], highest power first.
void polynomial(
        generator_t &g, const Xmm &sum, const Xmm &x, std::initializer_list<float> coefficients);

/// Tables of floats. A vector of AVX2 holds an octet, one of AVX-512 a table or an octet, two hold a
/// wide table.
using wide_float_table_t = float[32];
using float_table_t = float[16];
using float_octet_t = float[8];
/// to = table[index] in each lane. AVX-512 reads the lowest 4 bits of the index, the lowest 5 for a
/// wide table, AVX2 the lowest 3: the index of an octet must be below 8.
void look_up(generator_t &g, const Xmm &to, std::span<const float> table, const Xmm &index);
/// sum = polynomial(x) with coefficients by index: one table for each power, highest power first.
/// Needs a vector.
template <typename tables_t>
void piecewise_polynomial(
        generator_t &g, const Xmm &sum, const Xmm &x, const tables_t &tables, const Xmm &index) {
    const vec_t coefficient = g.vec("coefficient");
    auto table = std::begin(tables);
    look_up(g, sum, *table, index);
    while (++table != std::end(tables)) {
        look_up(g, coefficient, *table, index);
        g.vfmadd213ps(sum, x, *coefficient);
    }
}

/// e^x has a normal exponent for |x| up to it.
constexpr float normal_exp_range = 87;
/// The lanes in which |x| <= bound is false. Needs a vector besides the condition.
lane_condition_t is_beyond(generator_t &g, const Xmm &x, float bound);

/// e^x for |x| <= normal_exp_range; undefined elsewhere. Needs two vectors.
void exp_of_normal_range(generator_t &g, const Xmm &x);
void exp(generator_t &g, const Xmm &x);
/// e^x for x <= 0, NaN for NaN; undefined for x > 89.
void exp_of_non_positive(generator_t &g, const Xmm &x);
/// e^x - 1 for x <= 0, NaN for NaN; undefined for x > 0.
void expm1_of_non_positive(generator_t &g, const Xmm &x);
void log(generator_t &g, const Xmm &x);
void tanh(generator_t &g, const Xmm &x);
/// 1 / (1 + e^-x)
void logistic(generator_t &g, const Xmm &x);
/// alpha * x^beta by the rules of C's pow, where neither parameter is NaN.
void scaled_pow(generator_t &g, const Xmm &x, float alpha, float beta);

// Functions whose result has two parts, x and power: value = x * 2^floor(power), where |power| <=
// 301. A product with x does not underflow where one with the value would.

/// e^(x + low), for |x| <= 208. `low` is much smaller than x, becomes undefined, and may be absent.
void exp_in_parts(generator_t &g, const Xmm &x, const Xmm &power, const Xmm *low = nullptr);
/// to = x * 2^power, which may be anything below 2^-125 where that is smaller, to be added to a
/// value near 1.
void join_parts(generator_t &g, const Xmm &to, const Xmm &x, const Xmm &power);

} // namespace kiln::x64::jit
