// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise algorithms on a vector inside a kernel. It must not know where the
// vector comes from.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

constexpr int max_derivative_temporaries = 7;

/// Whether there is a derivative of `alg`.
bool can_derive(alg_kind_t alg);

/// vec = the derivative of alg at vec, or, of the *_use_dst_for_bwd forms, where the function is
/// vec; borders, infinities and NaN are as in cpu/reference/eltwise_scalar.hpp. Exact to some units
/// in the last place of the result or of 1/8, whichever is larger. A vector argument stands for the
/// whole register. Needs up to max_derivative_temporaries vectors and max_math_masks masks while it
/// writes.
void derivative(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
