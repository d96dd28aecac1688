// SPDX-License-Identifier: Apache-2.0
// Reorder of tensors whose dims or strides are known only at execution.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu {

/// Accepts any problem with run-time values. Each execution takes the dims and strides from the
/// memories that are passed, looks the primitive for them up in the primitive cache, or makes it,
/// and executes it. So it may allocate and lock, unlike other executions.
refusal_t runtime_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
