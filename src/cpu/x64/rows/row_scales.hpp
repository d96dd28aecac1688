// SPDX-License-Identifier: Apache-2.0
// The scale of each row of a row block from the row's largest magnitude, as code of a kernel.
#pragma once

#include "cpu/x64/rows/row_lanes.hpp"

namespace kiln::x64 {

/// scale = max|y| * factor, rounded to the type that it is stored in. The maximum of a row with a
/// NaN is NaN. Order of calls: add() for every vector of each row, finish(), divide().
class row_scales_t {
public:
    /// `rows`: 1, 2 or 4.
    row_scales_t(jit::generator_t &g, int rows);

    /// Adds the first `count` lanes of y to the row's maximum. y is overwritten.
    void add(const Xbyak::Xmm &y, int row, int count);
    /// Stores the scales; `factor` is the address of a float. Takes a vector, and the registers
    /// that store_lanes() takes.
    void finish(const Xbyak::Reg64 &factor, const jit::pitched_rows_t &scales);
    /// y = y / scale, within one rounding: y times the reciprocal in two factors, so that the
    /// reciprocal of a subnormal scale does not overflow. 0 / 0 is NaN, x / 0 is infinity.
    void divide(const Xbyak::Xmm &y, int row) const;

private:
    jit::generator_t &g_;
    jit::vecs_t maxima_; // |y| as integers; after finish() the second factor
    jit::vecs_t first_factors_;
};

} // namespace kiln::x64
