// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of f32, bf16 and f16 rows whose elements are adjacent, as loops that
// the compiler vectorizes: for processors below AVX2, which have no generated kernels.
#pragma once

#include "common/operations/normalization/layer_normalization_pd.hpp"

namespace kiln::cpu::reference {

/// Accepts f32, bf16 and f16 tensors, scale and shift, in plain layouts whose last axis has stride
/// 1, without attributes.
refusal_t layer_normalization_rows_accept(layer_normalization_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
