// SPDX-License-Identifier: Apache-2.0
// Reorders by generated kernels: which problems they accept.
#pragma once

#include "common/operations/reorder_pd.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"

namespace kiln::x64::reorder {

/// Moves or converts elements by nests of loops, without scales, zero points or post-ops. Takes
/// layouts that both have an axis of stride 1, but for remainders of blocks.
refusal_t accept_nests(reorder_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Moves or converts elements one by one, in any layouts that nests take otherwise.
refusal_t accept_elements(reorder_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::reorder

namespace kiln::x64 {

/// Computes row by row, with any attributes. Takes types whose values f32 holds.
refusal_t describe_elementwise(
        const reorder_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec);

} // namespace kiln::x64
