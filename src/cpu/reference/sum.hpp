// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of sum.
#pragma once

#include "common/operations/sum_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t sum_accept(sum_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
