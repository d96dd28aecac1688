// SPDX-License-Identifier: Apache-2.0
// How far rounded arithmetic may be from the truth: sums, and products of factors that are rounded
// first. `u` is a unit roundoff: half of the distance from 1 to the next number.
#pragma once

#include <algorithm>
#include <cmath>

namespace kiln::test {

/// The error of a sum of n terms is at most this many times u M, where M is the sum of the terms'
/// magnitudes.
///
/// An addition rounds the partial sum s by at most u |s|, by u |s| / sqrt(3) in the root mean
/// square. In one accumulator |s| grows to M, so s² has a mean of M² / 3, and n independent
/// roundings have a standard deviation of u M sqrt(n) / 3. sqrt(n) is three of these; with L
/// accumulators, whose roundings have the deviation u M sqrt(n) / 3L, it is 3L.
///
/// Equal terms are rounded alike while s stays between two powers of two. Their roundings add up to
/// at most u times the sum of all partial sums, n / 2 u M. `repeats`: terms may be equal.
///
/// 4: the roundings of a term itself and those of the sum of accumulators.
inline long double roundings_of_sum(long double n, bool repeats = false) {
    return 4 + (repeats ? std::max(std::sqrt(n), n / 2) : std::sqrt(n));
}

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

} // namespace kiln::test
