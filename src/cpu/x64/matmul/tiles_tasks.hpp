// SPDX-License-Identifier: Apache-2.0
// How a product by tiles is divided among tasks: parts of a matrix, chunks of rows, buffers, and
// what is fetched ahead.
#pragma once

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

/// How many tasks have enough work to be worth their start.
dim_t tasks_worth_their_start(const tiles_plan_t &plan);

/// Sets tasks, parts, chunks, fetches and buffers of a plan that has its blocks, and the size of
/// the scratchpad.
void plan_tasks(matmul_pd_t &pd, tiles_plan_t &plan);

} // namespace kiln::x64::matmul
