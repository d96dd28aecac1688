// SPDX-License-Identifier: Apache-2.0
// How few rows of A read a row-major B.
#pragma once

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

/// Vectors at most of a panel whose rows are read side by side.
constexpr int most_vectors_in_order = 8;

/// Whether a B in place comes from memory, and its rows can be read in the order of addresses:
/// processors fetch ahead of reads that go on along a page.
bool may_read_in_order(const tiles_plan_t &plan);
/// Whether they are: a single strip reads them.
bool reads_rows_in_order(const tiles_plan_t &plan);
/// Vectors of a panel of such a B.
int vectors_in_order(const tiles_plan_t &plan);
/// Its blocks have so few steps that their rows are read side by side, panel by panel. Sums of the
/// panels of a block stay in a part of the second-level cache.
void set_blocks_of_rows(tiles_plan_t &plan);
/// Whether such a B comes from memory rather than from the last-level cache. Of f32, the
/// processor's own prefetches deliver up to twice as much at the same speed.
bool pays_to_fetch_rows(const tiles_plan_t &plan);

/// Whether several strips read a B in place that the second-level cache does not hold beside rows
/// of A and dst.
bool is_in_place_for_strips(const tiles_plan_t &plan);
/// Whether few rows of A wait for such a B, or for one that is packed from memory. Memory delivers
/// long runs of few rows faster than short runs of many rows, each in a page of its own.
bool waits_for_rows_of_b(const tiles_plan_t &plan);
/// Steps of a block of K then: more of rows in place that are short, several of which may lie in a
/// page.
dim_t few_block_steps(const tiles_plan_t &plan);

/// Runs of blocks of K that tasks sum: all blocks, where there are few tiles; or a few of a B in
/// place whose rows are short. Tasks that shared the columns of such a B would read short pieces of
/// each page, and use a part of the sets of their second-level caches. Sums of several rows are
/// many: there are two runs, which are long if there are several strips. 1: tasks sum all of K.
dim_t runs_of_blocks(const tiles_plan_t &plan, bool waits_for_rows);

} // namespace kiln::x64::matmul
