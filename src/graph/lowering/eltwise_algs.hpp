// SPDX-License-Identifier: Apache-2.0
// Which elementwise and binary algorithms of primitives the operations are.
#pragma once

#include <optional>
#include <vector>

#include "common/attributes/post_ops.hpp"
#include "graph/op/op.hpp"

namespace kiln::graph {

/// Operations of one input (src), and their backward forms (src or dst, diff_dst).
std::vector<op_kind_t> eltwise_kinds();
std::vector<op_kind_t> eltwise_backward_kinds();
/// Operations of two inputs that broadcast to each other.
std::vector<op_kind_t> binary_kinds();

/// The function of an elementwise operation; of a backward form its derivative, of src or of dst as
/// the operation says. None for other kinds.
std::optional<eltwise_post_op_t> eltwise_of(const op_t &op);
/// dnnl_alg_kind_undef for other kinds. SquaredDifference is a difference first; GreaterEqual,
/// which gives another type, is none of binary_kinds().
alg_kind_t binary_alg_of(op_kind_t kind);

} // namespace kiln::graph
