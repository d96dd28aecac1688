// SPDX-License-Identifier: Apache-2.0
// Inner products by the kernels of matrix multiplication.
#pragma once

#include "common/operations/products/inner_product_pd.hpp"

namespace kiln::cpu {

/// Problems whose src and weights are matrices: the positions along all axes but the first are at
/// one stride, in the same order in both. Generated code of matrix multiplication must take the
/// product, and reduction the gradient of bias.
refusal_t matmul_inner_product_accept(inner_product_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
