// SPDX-License-Identifier: Apache-2.0
// When AMX multiplies, and what it fetches ahead.
#pragma once

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

/// Whether AMX multiplies a plan that has its step and how tiles get B.
bool uses_amx(const tiles_plan_t &plan);

/// Panels of a block of B, which stays in the second-level cache: an eighth of it where the next
/// block is fetched meanwhile, a quarter beside rows of A that stay there, too, or beside elements
/// that are split, else half of it, so that there are few blocks: each reads all rows of A.
dim_t amx_block_panels(const tiles_plan_t &plan);

/// Whether steps along K fetch the lines of dst before results are stored there: if dst takes much
/// of the second-level cache. One or two steps do so for sums that are results alone, also if rows
/// of a smaller dst are long. Otherwise results of 4 bytes fetch the lines of the next panel.
bool amx_fetches_dst(const tiles_plan_t &plan);

/// Whether AMX fetches the next block of packed weights, which come from memory, while rows of A,
/// which stay in the second-level cache, are multiplied by the present one. Such blocks have all of
/// K if A takes up to half of that cache. Else K is in blocks, and all panels are multiplied by one
/// before the next: each block loads and stores all sums, which is worth it for few rows. Additions
/// have the same order in blocks of any length.
bool amx_fetches_b(const tiles_plan_t &plan);
/// Steps of such a block at most.
constexpr dim_t most_amx_block_steps = 4 * matrix::most_block_steps;
/// Steps of a block of K if AMX fetches B.
dim_t amx_block_steps(const tiles_plan_t &plan);

/// How many cache lines a step by AMX fetches: of the next block of B, or of the rows of the next
/// call, if rows of A are adjacent and do not stay in the second-level cache. For a plan that has
/// its blocks and chunks.
int amx_lines_ahead(const tiles_plan_t &plan);

/// Whether those lines come into the first-level cache, not the second-level one: rows of A of
/// which a call takes few bytes.
bool amx_fetches_near(const tiles_plan_t &plan);

/// Whether rows of A begin within cache lines, and are read by so many panels that packing them
/// takes less time than two loads for each row of a tile register.
bool packs_split_lines(const tiles_plan_t &plan);

/// What a kernel makes of sums: results, stored so that they leave the caches or not, or totals of
/// groups along K.
enum class amx_result_t { ordinary, non_temporal, totals };

/// A kernel of a plan that is complete. Operands of its epilogue are, where there are groups,
/// scales of A's rows and of B's columns, as far as there are any, and totals; then those of the
/// plan's.
matrix::amx_spec_t amx_spec(const tiles_plan_t &plan, amx_result_t result);

} // namespace kiln::x64::matmul
