// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of shuffle.
#pragma once

#include "common/operations/shuffle_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t shuffle_accept(shuffle_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
