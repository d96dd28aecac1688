// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of binary operations.
#pragma once

#include "common/operations/binary_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t binary_accept(binary_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
