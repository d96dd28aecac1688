// SPDX-License-Identifier: Apache-2.0
// The scalar truth of reorder: any blocked layout to any other, every pair of data types, in
// double.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu::reference {

/// Takes what the operation allows, but for operands of post-ops broadcast along a blocked axis.
refusal_t reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
