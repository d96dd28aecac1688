// SPDX-License-Identifier: Apache-2.0
// Activation functions: products of x and a gate between 0 and 1, and smooth forms of max(x, 0).
// Operands, registers and precision are as math.hpp says, also where a gate is nearly 0: there the
// gate is e^u with u as a sum of two floats, and x is multiplied by the mantissa of e^u before the
// exponent is applied, so that no intermediate result underflows. Where the gate is 0 the result is
// 0, for infinite x as well.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// x > 0 ? x : alpha * (e^x - 1)
void elu(generator_t &g, const Xmm &x, float alpha);
/// log(1 + e^(alpha * x)) / alpha
void soft_relu(generator_t &g, const Xmm &x, float alpha);
/// x * logistic(alpha * x)
void swish(generator_t &g, const Xmm &x, float alpha);
/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
void gelu_tanh(generator_t &g, const Xmm &x);
/// u + low = 2 * sqrt(2 / pi) * (x + 0.044715 * x^3) for |x| < 14. Needs two vectors.
void gelu_argument_in_parts(generator_t &g, const Xmm &u, const Xmm &low, const Xmm &x);
/// x * (1 + erf(x / sqrt(2))) / 2
void gelu_erf(generator_t &g, const Xmm &x);
/// x * tanh(log(1 + e^x))
void mish(generator_t &g, const Xmm &x);

/// max(0, min(1, alpha * x + beta))
void hardsigmoid(generator_t &g, const Xmm &x, float alpha, float beta);
/// x * hardsigmoid(x)
void hardswish(generator_t &g, const Xmm &x, float alpha, float beta);

// Functions whose results are rounded to bf16 or f16 next (short_activation.cpp) need fewer
// instructions, the same ones for all arguments.

/// Whether write_short_activation() has the function: AVX-512 only.
bool has_short_activation(
        const generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to);
/// x = alg(x), to a relative 2^-13; results below the least normal float may be 0. Needs a mask.
void write_short_activation(
        generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to, const Xmm &x);

} // namespace kiln::x64::jit
