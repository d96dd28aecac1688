// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of reorder: any blocked layout to any other, every pair of
// data types, in double.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu::reference {

/// Accepts whatever the operation allows, except operands of post-ops that broadcast along a
/// blocked axis.
refusal_t reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
