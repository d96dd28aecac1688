// SPDX-License-Identifier: Apache-2.0
// Mean and variance of a row of floats.

#include "cpu/reference/normalization/row_sums.hpp"

namespace kiln::cpu::reference::rows {
namespace {

float median(float a, float b, float c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// The median of five elements that are spread over the row.
float pivot_of(const float *x, dim_t count) {
    const float a = x[0], b = x[count / 4], c = x[count / 2], d = x[count - 1 - count / 4],
                e = x[count - 1];
    return median(
            std::max(std::min(a, b), std::min(c, d)), std::min(std::max(a, b), std::max(c, d)), e);
}

/// Mean and variance from sums about a pivot.
row_moments_t moments_about(double pivot, const two_sums_t &sums, double n) {
    const double distance = sums.first / n;
    const double variance = sums.second / n - distance * distance;
    return {pivot + distance, variance < 0 ? 0 : variance}; // NaN stays
}

double squared(float x, double pivot) {
    const double d = static_cast<double>(x) - pivot;
    return d * d;
}

/// Sums in double about the first element, which is within sqrt(count) deviations of the mean, so
/// that no digit of a float is lost.
two_sums_t exact_sums(const float *x, dim_t count, double first) {
    two_sums_t sums;
    for (dim_t c = 0; c < count; ++c) {
        sums.first += static_cast<double>(x[c]) - first;
        sums.second += squared(x[c], first);
    }
    return sums;
}

} // namespace

row_moments_t moments_of(const float *x, dim_t count, bool is_rms) {
    const auto n = static_cast<double>(count);
    // Floats hold the squares.
    constexpr double least_square = 1e-25, most_square = 1e37;
    const auto is_held = [&](double squares) {
        return squares > least_square * n && squares < most_square * n;
    };
    if (is_rms) {
        const two_sums_t sums = sums_of_row(
                count,
                [&](dim_t c, float4_t &, float4_t &square) {
                    const float4_t four = _mm_loadu_ps(x + c);
                    square += four * four;
                },
                [&](dim_t c, double &, double &square) { square += squared(x[c], 0.); });
        return {0, (is_held(sums.second) ? sums : exact_sums(x, count, 0.)).second / n};
    }
    const float pivot = pivot_of(x, count);
    const two_sums_t sums = sums_of_row(
            count,
            [&](dim_t c, float4_t &sum, float4_t &square) {
                const float4_t d = _mm_loadu_ps(x + c) - pivot;
                sum += d;
                square += d * d;
            },
            [&](dim_t c, double &sum, double &square) {
                sum += static_cast<double>(x[c]) - static_cast<double>(pivot);
                square += squared(x[c], static_cast<double>(pivot));
            });
    const row_moments_t moments = moments_about(static_cast<double>(pivot), sums, n);
    const double distance = moments.mean - static_cast<double>(pivot);
    // Near the mean no digit is lost in the difference of squares.
    if (is_held(sums.second) && distance * distance < 2 * moments.variance) return moments;
    const double first = std::isfinite(x[0]) ? static_cast<double>(x[0]) : 0.;
    return moments_about(first, exact_sums(x, count, first), n);
}

} // namespace kiln::cpu::reference::rows
