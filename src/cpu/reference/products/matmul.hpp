// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of matrix multiplication.
#pragma once

#include "common/operations/matmul_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem without run-time values.
refusal_t matmul_accept(matmul_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
