// SPDX-License-Identifier: Apache-2.0
// Reorder by generated kernels: what is taken, and its execution.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::x64::reorder {

refusal_t jit_reorder_accept(reorder_pd_t &pd);
status_t jit_reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::x64::reorder
