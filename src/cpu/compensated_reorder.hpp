// SPDX-License-Identifier: Apache-2.0
// Reorder to weights behind which sums of their elements lie: a reorder to the weights alone, then
// the sums.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu {

/// Takes a dst with compensation whose elements need no adjustment of their own.
refusal_t compensated_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
