// SPDX-License-Identifier: Apache-2.0
// Activation functions whose results are rounded to bf16 or f16 next. They need fewer instructions
// than those of activation.hpp, the same ones for all arguments.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Whether write_short_activation() has the function: AVX-512 only.
bool has_short_activation(
        const generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to);

/// x = alg(x), to a relative 2^-13; results below the least normal float may be 0. Infinities and
/// NaN are as eltwise() says. Needs max_math_temporaries vectors and a mask.
void write_short_activation(
        generator_t &g, alg_kind_t alg, float alpha, data_type_t rounded_to, const Xmm &x);

} // namespace kiln::x64::jit
