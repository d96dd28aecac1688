// SPDX-License-Identifier: Apache-2.0
// Activation functions by tables of their common range: what lies below it has instructions of its
// own, which are skipped where no lane of a vector needs them. The result of a lane does not depend
// on the others. Operands and precision are as activation.hpp says.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

// Each needs six vectors and two masks; those by tables need AVX-512.

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
void gelu_tanh_by_tables(generator_t &g, const Xmm &x);
/// x * tanh(log(1 + e^x))
void mish_by_tables(generator_t &g, const Xmm &x);
/// 1 / (1 + e^-x)
void logistic_by_tables(generator_t &g, const Xmm &x);

/// The derivative of x * (1 + erf(x / sqrt(2))) / 2
void gelu_erf_derivative(generator_t &g, const Xmm &x);

// What follows from the tail of the normal distribution (normal_tail.cpp). Each needs five vectors.

/// x * (1 + erf(x / sqrt(2))) / 2 for x <= -5.5; NaN for NaN.
void gelu_erf_tail(generator_t &g, const Xmm &x);
/// Its derivative.
void gelu_erf_derivative_tail(generator_t &g, const Xmm &x);

} // namespace kiln::x64::jit
