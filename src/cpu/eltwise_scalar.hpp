// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one float value. Tests compare kernels with them.
#pragma once

#include "common/attributes/alg_kind.hpp"

namespace kiln {

// The forward function `alg` of x, with alpha and beta as the interface documents them. Evaluated
// in double and rounded once to float, in forms that neither overflow nor cancel on the way.
//   - A NaN x gives NaN for each algorithm, relu and clip included; the one exception is that of
//     IEEE: pow with beta 0 is alpha.
//   - Functions whose limit at -infinity is zero give zero there, even where the formula reads
//     0 * infinity: relu with alpha 0, both gelus, swish, mish and hardswish. Other results for
//     infinite x, such as that of linear with alpha 0, follow from the formula by IEEE arithmetic.
//   - round takes ties to even in any rounding mode.
// NaN if `alg` is not an elementwise algorithm.
float eltwise_fwd(dnnl_alg_kind_t alg, float x, float alpha, float beta);

// The derivative of `alg` at x, or, of the *_use_dst_for_bwd forms, where the function is x.
// Evaluated in double and rounded once to float.
//   - Where the slopes on the two sides differ, the derivative is that of the lower side: relu and
//     elu have 1 for x greater than 0 only. abs has 0 at 0. For hardsigmoid, hardswish and clip_v2
//     both ends of the range are outside of it; for clip, beta is inside.
//   - A NaN x gives NaN, except for functions with constant slopes: there NaN counts as not greater
//     than 0 and as outside of a range.
// The result is NaN if there is no derivative: for round, and for an algorithm that is not
// elementwise.
float eltwise_derivative(dnnl_alg_kind_t alg, float x, float alpha, float beta);

// The same function and derivative in double, not rounded. The arguments of hardsigmoid's and
// hardswish's intervals are rounded to float nevertheless.
double eltwise_value(dnnl_alg_kind_t alg, double x, double alpha, double beta);
double eltwise_slope(dnnl_alg_kind_t alg, double x, double alpha, double beta);

} // namespace kiln
