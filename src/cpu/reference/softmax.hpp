// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of softmax and logsoftmax, forward and backward: any axis,
// any layouts, any data types, in double.
#pragma once

#include "common/operations/softmax_pd.hpp"

namespace kiln::cpu::reference {

/// Accepts whatever the operation allows.
refusal_t softmax_accept(softmax_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
