// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of PReLU.
#pragma once

#include "common/operations/prelu_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t prelu_accept(prelu_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
