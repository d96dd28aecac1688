// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise algorithms on a vector.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

constexpr int max_derivative_temporaries = 7;

/// Whether derivative() implements `alg`.
bool can_derive(alg_kind_t alg);

/// vec = the derivative of alg at vec; for the *_use_dst_for_bwd forms, vec is the result of the
/// algorithm. Limits of intervals, infinities and NaN are as in cpu/reference/eltwise_scalar.hpp.
/// The error is a few units in the last place of the result or of 1/8, whichever is larger. A
/// vector argument means the whole register. Needs max_derivative_temporaries vectors and
/// max_math_masks masks.
void derivative(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
