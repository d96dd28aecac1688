// SPDX-License-Identifier: Apache-2.0
// Reorders that compute, by generated kernels on rows.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::x64::reorder {

/// Takes layouts in which the innermost axis of dst has stride 1 in every operand or is broadcast,
/// with any attributes, and types whose values f32 holds.
refusal_t rows_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::x64::reorder
