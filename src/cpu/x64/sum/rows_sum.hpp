// SPDX-License-Identifier: Apache-2.0
// Sums by generated kernels on rows.
#pragma once

#include "common/operations/sum_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Takes layouts in which the innermost axis of dst has stride 1 in every tensor or stride 0 in a
/// source, f32, bf16, f16, s32, s8, u8 in any combination, and 23 sources.
refusal_t rows_sum_accept(sum_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Takes any layouts whose blocks divide each other, the same types, and as many sources.
refusal_t strided_rows_sum_accept(sum_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64
