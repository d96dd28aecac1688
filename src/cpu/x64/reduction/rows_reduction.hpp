// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels.
#pragma once

#include "common/operations/reduction_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::reduction {

/// Takes all algorithms over any axes, with any post-ops, of layouts whose blocks divide each
/// other.
refusal_t rows_reduction_accept(reduction_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::reduction
