// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels, where what is reduced lies side by side.
#pragma once

#include "common/operations/reduction_pd.hpp"

namespace kiln::x64::reduction {

/// Takes max, min, sum, mean and the norms with p of 1 and 2 over the axes that lie innermost in
/// src, with any post-ops.
refusal_t rows_reduction_accept(reduction_pd_t &pd);
status_t rows_reduction_create(const reduction_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::x64::reduction
