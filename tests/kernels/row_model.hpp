// SPDX-License-Identifier: Apache-2.0
// What kernels of layer normalization should give, in double, and how far from it they may be.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernels/row_tensor.hpp"

namespace kiln::x64::layer_normalization::test {

constexpr double unit = 1.0 / (1 << 24); // relative error of one rounding to f32

/// A number and how far from it a kernel may be.
struct estimate_t {
    double value = 0;
    double error = 0;
};

/// NaN is near NaN only.
inline bool is_near(double got, const estimate_t &expected) {
    if (std::isnan(expected.value)) return std::isnan(got);
    return std::abs(got - expected.value) <= expected.error;
}

/// What a failing test says of a result, e.g. "dst of row 1 column 2: expected 3 +- 0.1, got 4".
std::string wrong(const char *name, dim_t row, dim_t col, const estimate_t &expected, double got);

struct moments_t {
    estimate_t mean, variance;
};

/// Bounds of first order in `unit`. `chain` bounds the roundings of a sum one after another, those
/// of reducing lanes, subtracting K and dividing included. The mean is K + S / C, or the sum over C
/// if the kernel computes it anew. K is at most two deviations off the mean, so that sum(d^2) <= 5
/// * C * variance and the sum of |d| is at most sqrt(5) times C deviations: Q and S * S / C are off
/// by at most (5 + 2 * 2 * sqrt(5)) * chain * unit * C * variance, less than 16 of them.
moments_t moments_of(const double *x, dim_t cols, bool is_rms, double chain);
/// The same for a row, where a lane adds at most C / 8 terms (AVX2, one accumulator).
moments_t moments_of(const double *x, dim_t cols, bool is_rms);

/// What is stored of y in this type; integers store 0 for NaN.
estimate_t stored(data_type_t type, estimate_t y);

/// Fills the tensor and gives the values as its type holds them.
std::vector<double> fill(row_tensor_t &tensor, data_type_t type, std::vector<double> values);

} // namespace kiln::x64::layer_normalization::test
