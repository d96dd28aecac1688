// SPDX-License-Identifier: Apache-2.0
// Binary operations on one pair of float values. Tests compare kernels with them.
#pragma once

#include "common/attributes/alg_kind.hpp"

namespace kiln {

// src0 `alg` src1 in float arithmetic. As a post-op src0 is the value computed so far.
//   - Comparisons give 1 or 0; NaN is unequal to everything, and neither smaller nor greater.
//   - max and min give NaN if either operand is NaN; of two zeros either may be the result,
//   whatever their signs.
// NaN if `alg` is dnnl_binary_select, which needs a condition, or not a binary algorithm.
float binary(dnnl_alg_kind_t alg, float src0, float src1);
// The same in double arithmetic.
double binary_in_double(dnnl_alg_kind_t alg, double src0, double src1);

// dnnl_binary_select: the condition is src2, where any integer but zero is true.
inline float binary_select(float src0, float src1, bool src2) { return src2 ? src0 : src1; }

} // namespace kiln
