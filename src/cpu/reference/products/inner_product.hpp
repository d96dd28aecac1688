// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of inner products.
#pragma once

#include "common/operations/products/inner_product_pd.hpp"

namespace kiln::cpu::reference {

/// Takes every problem.
refusal_t inner_product_accept(inner_product_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
