// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one value, the truth that kernels are held against. It must not know
// tensors, post-op chains or data types other than float.
#pragma once

#include "common/attributes/alg_kind.hpp"

namespace kiln {

// The forward function `alg` of x, with alpha and beta as the interface documents them. Evaluated
// in double and rounded once to float, in forms that neither overflow nor cancel on the way.
//   - A NaN x gives NaN for each algorithm, relu and clip included; the one exception is that of
//     IEEE: pow with beta 0 is alpha.
//   - A gate that has closed gives zero, its limit, even where the formula reads 0 * infinity: relu
//     with alpha 0, both gelus, swish, mish and hardswish at -infinity. All else at infinity, such
//     as linear with alpha 0, is what IEEE arithmetic makes of the formula.
//   - round takes ties to even in any rounding mode.
// NaN if `alg` is not an elementwise algorithm.
float eltwise_fwd(dnnl_alg_kind_t alg, float x, float alpha, float beta);

// The derivative of `alg` at x, or, of the *_use_dst_for_bwd forms, where the function is x.
// Evaluated in double and rounded once to float.
//   - Where there are two slopes it is that of the lower side, so that x has to be greater than 0
//     for relu's and elu's 1; abs has 0 there, and of hardsigmoid, hardswish and clip_v2, an end
//     of the range counts as outside. Of clip, beta counts as inside.
//   - A NaN x gives NaN, but where slopes are constants: it is not greater than 0 then, and not
//     inside a range.
// NaN if there is no derivative: round has none, nor what is no elementwise algorithm.
float eltwise_derivative(dnnl_alg_kind_t alg, float x, float alpha, float beta);

} // namespace kiln
