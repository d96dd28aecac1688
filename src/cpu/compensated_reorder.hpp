// SPDX-License-Identifier: Apache-2.0
// Reorder from or to weights behind which sums of their elements lie: a reorder of the elements
// alone, then the sums of dst.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu {

/// Takes a src or dst with compensation if dst's elements need no adjustment of their own.
refusal_t compensated_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
