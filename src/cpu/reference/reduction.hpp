// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of reduction: any axes, any layouts, any data types, in
// double.
//   - A NaN among the terms makes the result NaN, also for max and min.
//   - Without terms a sum or a norm is 0, a product is 1 and a mean is NaN; max is the lowest value
//     of dst's data type and min the greatest (infinite for floating-point types).
#pragma once

#include "common/operations/reduction_pd.hpp"

namespace kiln::cpu::reference {

/// Accepts whatever the operation allows.
refusal_t reduction_accept(reduction_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
