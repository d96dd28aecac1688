// SPDX-License-Identifier: Apache-2.0
// One value for each row of a row block (up to four rows), in the lowest four lanes of a vector.
#pragma once

#include <span>

#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64 {

/// Lane i = element 0 of row i, for rows [0, rows). The other ones of the lowest four lanes are 0.
/// Types: f32, bf16, f16.
void load_lanes(jit::generator_t &g, const Xbyak::Xmm &lanes, const pitched_rows_t &from, int rows);

/// Element 0 of row i = lane i, rounded to the type: f32, bf16 or f16. The two narrow types take
/// the registers that jit::pack() takes, and a vector.
void store_lanes(jit::generator_t &g, const Xbyak::Xmm &lanes, const pitched_rows_t &to, int rows);

/// Every lane of vecs[i] = lane i.
void spread_lanes(jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xbyak::Xmm &lanes);

} // namespace kiln::x64
