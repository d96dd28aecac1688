// SPDX-License-Identifier: Apache-2.0
// How the work of a product by tiles is cut.
#pragma once

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

/// For a plan that has its operands and its step: how B is read, blocks, chunks, parts and tasks,
/// what else the kernel's spec says, and the buffers, whose bytes become the scratchpad's size.
refusal_t plan_work(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan);

} // namespace kiln::x64::matmul
