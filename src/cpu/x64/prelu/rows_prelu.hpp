// SPDX-License-Identifier: Apache-2.0
// PReLU by generated kernels on rows.
#pragma once

#include "common/operations/prelu_pd.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"

namespace kiln::x64 {

/// Takes layouts in which the innermost axis of the result has stride 1 in src and diff_dst and is
/// dense or broadcast in weights, and f32, bf16, f16, s32, s8, u8.
refusal_t rows_prelu_accept(prelu_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Forward; takes the same types.
refusal_t describe_elementwise(
        const prelu_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec);

/// Both gradients.
refusal_t rows_prelu_backward_accept(prelu_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64
