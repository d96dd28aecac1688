// SPDX-License-Identifier: Apache-2.0
// Activation functions by tables of their common range: what lies below it has instructions of its
// own, which are skipped where no lane of a vector needs them. The result of a lane does not depend
// on the others. Operands and precision are as activation.hpp says.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

// Each of these needs AVX-512, six vectors and a mask.

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
void gelu_tanh_by_tables(generator_t &g, const Xbyak::Xmm &x);
/// x * tanh(log(1 + e^x))
void mish_by_tables(generator_t &g, const Xbyak::Xmm &x);
/// 1 / (1 + e^-x)
void logistic_by_tables(generator_t &g, const Xbyak::Xmm &x);

// By tables of the normal distribution (normal_tables.cpp), with AVX2 as well.

/// x * (1 + erf(x / sqrt(2))) / 2 for x < 0; NaN for NaN. Needs five vectors.
void gelu_erf_tail(generator_t &g, const Xbyak::Xmm &x);
/// The derivative of x * (1 + erf(x / sqrt(2))) / 2. Needs six vectors and a mask.
void gelu_erf_derivative(generator_t &g, const Xbyak::Xmm &x);

} // namespace kiln::x64::jit
