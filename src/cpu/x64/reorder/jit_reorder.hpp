// SPDX-License-Identifier: Apache-2.0
// Reorders that move or convert elements, by generated kernels on nests of loops.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::x64::reorder {

/// Takes layouts that both have an axis of stride 1, without scales, zero points or post-ops.
refusal_t jit_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::x64::reorder
