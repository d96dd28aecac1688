// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of elementwise functions and of their gradients.
#pragma once

#include "common/operations/eltwise_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t eltwise_accept(eltwise_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
