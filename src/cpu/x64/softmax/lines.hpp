// SPDX-License-Identifier: Apache-2.0
// The operands of softmax as loops along the axis and across it.
#pragma once

#include <vector>

#include "common/operations/softmax_pd.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/operands.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

struct lines_t {
    operands_t operands; // by the direction's enum, then those of post-ops
    std::vector<jit::post_op_link_t> post_ops;
    row_mode_t axis;                // the elements of a line, or its blocks
    row_mode_t block{1, {}};        // the elements of a block, where blocks cut the axis
    std::vector<row_mode_t> others; // the lines
    row_offsets_t origin;
    dim_t padding = 0; // elements of the last block that every tensor pads the axis with

    size_t count() const { return operands.count(); }
    /// Sets post_op_operand_t::per_lane for vectors along `line`. Refuses operands that are strided
    /// along it.
    refusal_t place_post_ops(const row_mode_t &line, size_t first_post_op);
};

/// Refuses what no kernel takes: types, layouts in which the elements along the axis are not at one
/// distance, nor in blocks at one distance. The loops along the axis include the padding.
refusal_t find_lines(const softmax_pd_t &pd, lines_t &lines);

/// What the descriptor says, stage, isa and extents aside.
forward_spec_t forward_spec_of(const softmax_pd_t &pd, const lines_t &lines);
backward_spec_t backward_spec_of(const softmax_pd_t &pd, const lines_t &lines);

} // namespace kiln::x64::softmax
