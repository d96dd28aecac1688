// SPDX-License-Identifier: Apache-2.0
// The level of kernels, and the layout of weights of format `any`.
#pragma once

#include "cpu/x64/matmul/tiles_product.hpp"

namespace kiln::x64::matmul {

/// The level of a product's kernels. Where the columns of a product of f32 fit into half a vector,
/// the other half would be zeros, and a processor loads and multiplies at least as many narrower
/// vectors in a cycle.
isa_t level_of_kernels(const matmul_pd_t &pd, isa_t isa, const group_plan_t &groups);

/// Gives weights of format `any` the layout that the product's step reads. Panels fit any number
/// of rows.
void settle_weights(matmul_pd_t &pd, isa_t isa, const group_plan_t &groups);

} // namespace kiln::x64::matmul
