// SPDX-License-Identifier: Apache-2.0
// How far rounded arithmetic may be from the truth: sums, and products of factors that are rounded
// first. `u` is a unit roundoff: half of the distance from 1 to the next number.
#pragma once

#include <algorithm>
#include <cmath>

namespace kiln::test {

/// The error of a sum of n terms is at most this many times u M, where M is the sum of the terms'
/// magnitudes. n roundings of at most u M each are the most of all.
///
/// An addition to a partial sum s between 2^k and 2^(k + 1) rounds by at most u 2^k, evenly. In one
/// accumulator |s| grows to M, and n independent roundings have a standard deviation of at most
/// 0.26 u M sqrt(n), where M is 1.3 times a power of two. 2 sqrt(n) is 7.7 of these: of 10^12 sums
/// less than one exceeds it. L accumulators have 1 / L of the deviation.
///
/// Roundings are not independent where `terms_are_alike`: the last bits of equal terms are equal,
/// and exact squares have some last bits more often than others (odd numbers have squares 8j + 1).
/// Roundings then add up to at most u times the sum of all partial sums, n / 2 u M.
///
/// 4: the roundings of a term itself and those of the sum of accumulators.
inline long double roundings_of_sum(long double n, bool terms_are_alike = false) {
    const long double independent = 2 * std::sqrt(n);
    return 4 + std::min(n, terms_are_alike ? std::max(independent, n / 2) : independent);
}

/// Whether squares of numbers with the unit roundoff `of` are exact in arithmetic with that of
/// `in`.
inline bool squares_are_exact(long double of, long double in) { return of * of >= in; }

/// The error of a sum of products, `factors` factors of each of which are rounded by at most u of
/// themselves. `squares`, `magnitudes`: the sums of the products' squares and magnitudes.
///
/// Rounding moves a number x of [1, 2) by u at most; relative to x the mean square is u² / 3 times
/// the mean of 1 / x², which is 1 / 2. Independent errors of factors thus give a product of p an
/// error of p u sqrt(factors / 6) in the root mean square, and their sum the root of the sum of
/// squares. The bound is seven such deviations, and at most the error where all factors are off by
/// u in the same direction, which it is where elements repeat.
inline long double error_of_rounded_factors(int factors, long double u, long double squares,
        long double magnitudes, bool repeats = false) {
    const long double most = factors * u * magnitudes;
    return repeats ? most
                   : std::min(most,
                           7 * u * std::sqrt(static_cast<long double>(factors) / 6 * squares));
}

/// That of bf16, which has 8 significant bits.
inline constexpr long double bf16_roundoff = 0x1p-8L;
inline constexpr long double f16_roundoff = 0x1p-11L; // tf32 has as many bits

} // namespace kiln::test
