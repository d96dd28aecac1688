// SPDX-License-Identifier: Apache-2.0
// From a primitive descriptor's post-ops to a kernel's chain and the operands it reads. It must not
// know what is normalized, nor how dst is walked but for the axis that vectors lie along.
#pragma once

#include <vector>

#include "common/primitive/primitive_desc.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64 {

/// More than any framework fuses; kernels keep an address for each.
constexpr size_t max_post_op_operands = 8;

struct post_op_operands_t {
    std::vector<jit::post_op_link_t> chain;
    // By the chain's operand index: the operand's descriptor, which is the primitive descriptor's,
    // and its execution argument. Extents are dst's or 1; of a per_lane operand the elements along
    // the vectors' axis lie side by side, any other is constant along it.
    std::vector<const memory_desc_t *> mds;
    std::vector<int> slots;
};

/// Reads the post-ops of `pd`, a sum among them, whatever layouts their operands have: per_lane is
/// left to who knows how vectors lie. What it refuses, kernels cannot apply; `found` is then of no
/// use.
refusal_t find_post_op_chain(const primitive_desc_t &pd, post_op_operands_t &found);

/// Reads the post-ops of `pd`, no sums, for vectors along logical axis `axis` of dst (rows: the
/// last one). What it refuses, kernels cannot apply; `found` is then of no use.
refusal_t find_post_op_operands(const primitive_desc_t &pd, int axis, post_op_operands_t &found);

/// The same where nothing is refused.
post_op_operands_t post_op_operands_of(const primitive_desc_t &pd, int axis);

} // namespace kiln::x64
