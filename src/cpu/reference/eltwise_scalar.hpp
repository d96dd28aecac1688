// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one value, the truth that kernels are held against. It must not know
// tensors, post-op chains or data types other than float.
#pragma once

#include "common/alg_kind.hpp"

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

} // namespace kiln
