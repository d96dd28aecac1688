// SPDX-License-Identifier: Apache-2.0
// Elementwise functions and their gradients by generated kernels on rows.
#pragma once

#include "common/operations/eltwise_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Takes layouts in which the innermost axis of dst (backward: of diff_src) has stride 1 in every
/// operand or is broadcast, and f32, bf16, f16, s32, s8, u8.
refusal_t rows_eltwise_accept(eltwise_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Takes any layouts whose blocks divide each other, and the same types.
refusal_t strided_rows_eltwise_accept(eltwise_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64
