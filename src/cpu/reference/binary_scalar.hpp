// SPDX-License-Identifier: Apache-2.0
// Binary operations on one pair of values, the truth that kernels are held against. It must not
// know tensors or broadcasts.
#pragma once

#include "common/attributes/alg_kind.hpp"

namespace kiln {

// src0 `alg` src1 in float arithmetic. As a post-op src0 is the value computed so far.
//   - Comparisons give 1 or 0; NaN is unequal to everything and in no order.
//   - max and min give NaN if either operand is NaN; the sign of a zero among equal zeros is open.
// NaN if `alg` is dnnl_binary_select, which needs a condition, or not a binary algorithm.
float binary(dnnl_alg_kind_t alg, float src0, float src1);

// dnnl_binary_select: the condition is src2, where any integer but zero is true.
inline float binary_select(float src0, float src1, bool src2) { return src2 ? src0 : src1; }

} // namespace kiln
