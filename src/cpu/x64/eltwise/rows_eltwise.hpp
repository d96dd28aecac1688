// SPDX-License-Identifier: Apache-2.0
// Elementwise functions and their gradients by generated kernels on rows.
#pragma once

#include "common/operations/eltwise_pd.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"

namespace kiln::x64 {

/// Takes f32, bf16, f16, s32, s8, u8.
refusal_t describe_elementwise(
        const eltwise_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec);

} // namespace kiln::x64
