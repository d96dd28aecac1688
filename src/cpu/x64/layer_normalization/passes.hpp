// SPDX-License-Identifier: Apache-2.0
// The passes of layer and RMS normalization by generated kernels. Each function plans one: it
// refuses layouts and post-ops that the kernel does not take, or sets the plan that makes the
// primitive.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::layer_normalization {

refusal_t accept_rows_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);
refusal_t accept_rows_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);
refusal_t accept_columns_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);
refusal_t accept_columns_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::layer_normalization
