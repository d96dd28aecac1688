// SPDX-License-Identifier: Apache-2.0
// From a primitive descriptor's post-ops to a kernel's chain and the operands that it reads.
#pragma once

#include <vector>

#include "common/primitive/primitive_desc.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64 {

/// Operands of a chain at most. Kernels keep an address for each.
constexpr size_t max_post_op_operands = 8;

/// Appends the links of `pd`'s post-ops to `chain`, and what they read to `operands`, in the order
/// of jit::operands_of(chain). The operand of a sum is dst. An operand's layout is any;
/// post_op_operand_t::per_lane is left to the caller, who knows how vectors lie. A chain that
/// kernels cannot apply is refused.
refusal_t add_post_ops(const primitive_desc_t &pd, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain);

/// The same for vectors along logical axis `axis` of dst (rows: the last one), with per_lane set.
/// Sums are refused, and operands that are blocked or strided along the axis.
refusal_t add_post_ops_along(const primitive_desc_t &pd, int axis, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain);

/// Appends the division by the scale of `arg`, if it has one: by its reciprocal, if it is one
/// number.
void add_division_by_scale(const primitive_desc_t &pd, int arg, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain);

} // namespace kiln::x64
