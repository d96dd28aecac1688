// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels where the reduced elements are adjacent.
#pragma once

#include "common/operations/reduction_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::reduction {

/// Takes max, min, sum, mean and the norms with p = 1 and p = 2 over the innermost axes of src,
/// with any post-ops.
refusal_t rows_reduction_accept(reduction_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::reduction
