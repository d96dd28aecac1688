// SPDX-License-Identifier: Apache-2.0
// One value for each row of a row block (up to four rows), in the lowest four lanes of a vector,
// and sums that become such values.
#pragma once

#include <span>

#include "cpu/x64/jit/row_walk.hpp"

namespace kiln::x64 {

/// Lane i = element 0 of row i, for rows [0, rows). The other ones of the lowest four lanes are 0.
/// Types: f32, bf16, f16.
void load_lanes(
        jit::generator_t &g, const Xbyak::Xmm &lanes, const jit::pitched_rows_t &from, int rows);

/// Element 0 of row i = lane i, rounded to the type: f32, bf16 or f16. The two narrow types take
/// the registers that jit::pack() takes, and a vector.
void store_lanes(
        jit::generator_t &g, const Xbyak::Xmm &lanes, const jit::pitched_rows_t &to, int rows);

/// Whether kernels on rows of `cols` elements are bound by shuffles, so that lanes are spread by
/// loads.
inline bool are_spread_by_loads(const jit::generator_t &g, int rows, dim_t cols) {
    constexpr dim_t few_vectors = 4;
    return g.has_avx512() && rows > 1 && cols <= few_vectors * g.lanes();
}

/// Every lane of vecs[i] = lane i.
void spread_lanes(jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xbyak::Xmm &lanes,
        bool by_loads = false);

/// A sum for each row.
class row_sums_t {
public:
    /// `rows`: 1, 2 or 4. `accumulators`: vectors of partial sums for each row, a power of two.
    /// They are zero at first if `are_zeroed`, else undefined.
    row_sums_t(jit::generator_t &g, int rows, int accumulators, bool are_zeroed = true);

    /// The accumulator for vector `copy` of a row.
    const Xbyak::Xmm &of(int row, int copy) const { return *sums_[index(row, copy)]; }

    /// Lane i = the sum of row i; every lane if there is one row. Releases the accumulators. The
    /// order of additions does not depend on the number of rows.
    jit::vec_t reduce();

private:
    int index(int row, int copy) const { return row * accumulators_ + copy % accumulators_; }

    jit::generator_t &g_;
    int rows_;
    int accumulators_;
    jit::vecs_t sums_;
};

} // namespace kiln::x64
