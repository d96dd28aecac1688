// SPDX-License-Identifier: Apache-2.0
// Binary operations by generated kernels on rows.
#pragma once

#include "common/operations/binary_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Takes layouts in which the innermost axis of dst has stride 1 in every operand or is broadcast,
/// and f32, bf16, f16, s32, s8, u8 in any combination.
refusal_t rows_binary_accept(binary_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Takes any layouts whose blocks divide each other, and the same types.
refusal_t strided_rows_binary_accept(binary_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64
