// SPDX-License-Identifier: Apache-2.0
// Softmax by generated kernels: which problems they take.
#pragma once

#include "common/operations/softmax_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::softmax {

/// Problems in which the elements along the axis are adjacent in every tensor.
refusal_t accept_rows(softmax_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Problems in which elements along other axes are.
refusal_t accept_columns(softmax_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::softmax
