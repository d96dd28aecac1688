// SPDX-License-Identifier: Apache-2.0
// Batches of matrices that are one matrix.
#pragma once

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

/// For a plan that has its operands: matrices at one distance in A and dst that are multiplied by
/// one B are one, if that is the distance of the rows, too.
void merge_batch(tiles_plan_t &plan, const operand_layouts_t &layouts);

} // namespace kiln::x64::matmul
