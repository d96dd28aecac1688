// SPDX-License-Identifier: Apache-2.0
// Elementwise algorithms of the interface (is_eltwise_alg) on a vector, and their derivatives.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

constexpr int max_derivative_temporaries = 7;

/// vec = alg(vec), forward, with alpha and beta as the interface documents them. Results for
/// infinities and NaN are as in cpu/eltwise_scalar.hpp, and so is the result +0 for +0;
/// the sign of other zeros is unspecified. A vector argument means the whole register. Precision is
/// that of math.hpp, or, where the result is rounded to bf16 or f16 next, of activation.hpp's short
/// forms. Needs max_math_temporaries vectors and max_math_masks masks.
void eltwise(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xmm &vec,
        data_type_t rounded_to = dnnl_f32);

/// Whether the elementwise algorithm has a derivative: all but dnnl_eltwise_round.
bool can_derive(alg_kind_t alg);

/// vec = the derivative of alg at vec; for the *_use_dst_for_bwd forms, vec is the result of the
/// algorithm. Limits of intervals, infinities and NaN are as in cpu/eltwise_scalar.hpp.
/// The error is a few units in the last place of the result or of 1/8, whichever is larger. A
/// vector argument means the whole register. Needs max_derivative_temporaries vectors and
/// max_math_masks masks.
void derivative(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xmm &vec);

} // namespace kiln::x64::jit
