// SPDX-License-Identifier: Apache-2.0
// The scalar truth of reorder: any blocked layout to any other, every pair of data types, in
// double.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu::reference {

/// Takes what the operation allows, but for operands of post-ops broadcast along a blocked axis.
refusal_t reorder_accept(reorder_pd_t &pd);
status_t reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::cpu::reference
