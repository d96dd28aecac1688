// SPDX-License-Identifier: Apache-2.0
// The algorithms of primitives that elementwise and binary operations become.
#pragma once

#include <optional>

#include "common/attributes/post_ops.hpp"
#include "graph/op/op.hpp"
#include "graph/op/op_kinds.hpp"

namespace kiln::graph {

/// Operations with one input (src), and their gradients (src or dst, diff_dst).
op_kinds_t eltwise_kinds();
op_kinds_t eltwise_backward_kinds();
/// Operations with two inputs that are broadcast to each other.
op_kinds_t binary_kinds();

/// The function of an elementwise operation, or the derivative of a gradient, as a function of src
/// or dst. Empty for other kinds.
std::optional<eltwise_post_op_t> eltwise_of(const op_t &op);
/// dnnl_alg_kind_undef for other kinds. SquaredDifference yields the subtraction that precedes the
/// square. GreaterEqual is supported here, but is not one of binary_kinds(): its dst has another
/// type.
alg_kind_t binary_alg_of(op_kind_t kind);
/// Whether the operands of a binary algorithm may be exchanged.
bool commutes(alg_kind_t alg);

} // namespace kiln::graph
