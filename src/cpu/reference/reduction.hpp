// SPDX-License-Identifier: Apache-2.0
// The scalar truth of reduction: any axes, any layouts, any data types, in double.
//   - A NaN among the terms makes the result NaN, with max and min too.
//   - Of no terms a sum and a norm is 0, a product 1, a mean NaN; max is the lowest value that dst
//     can hold and min its greatest: the infinite ones of floats.
#pragma once

#include "common/operations/reduction_pd.hpp"

namespace kiln::cpu::reference {

/// Takes whatever the operation allows.
refusal_t reduction_accept(reduction_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
