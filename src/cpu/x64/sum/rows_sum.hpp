// SPDX-License-Identifier: Apache-2.0
// Sums by generated kernels on rows.
#pragma once

#include "common/operations/sum_pd.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"

namespace kiln::x64 {

/// Sources at most: dst is an operand, too.
constexpr size_t max_summed_rows = max_row_operands - 1;

/// Takes f32, bf16, f16, s32, s8, u8 in any combination.
refusal_t describe_elementwise(
        const sum_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec);

} // namespace kiln::x64
