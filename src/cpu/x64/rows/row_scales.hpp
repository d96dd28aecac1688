// SPDX-License-Identifier: Apache-2.0
// Scales that rows get from their greatest elements, as code of a kernel. It must not know where
// the elements come from.
#pragma once

#include <vector>

#include "cpu/x64/rows/row_lanes.hpp"

namespace kiln::x64::normalization {

/// add() every vector of each row, then finish(), then divide(). The scale is max|y| * factor as
/// its type holds it; NaN is greater than any number, and then so is the scale.
class row_scales_t {
public:
    /// Up to four rows: 1, 2 or 4.
    row_scales_t(jit::generator_t &g, int rows);

    /// The first `count` lanes; y is overwritten.
    void add(const Xbyak::Xmm &y, int row, int count);
    /// Stores the scales; `factor` is the address of a float. Needs a vector, and what
    /// store_lanes() does.
    void finish(const Xbyak::Reg64 &factor, const row_elements_t &scales);
    /// y = y / scale, within a rounding: the scale's reciprocal in two factors, so that it is there
    /// for a subnormal scale, too. 0 / 0 is NaN, anything else over 0 infinity.
    void divide(const Xbyak::Xmm &y, int row) const;

private:
    jit::generator_t &g_;
    std::vector<jit::vec_t> greatest_; // |y| as integers; then the reciprocals
    std::vector<jit::vec_t> enlarging_;
};

} // namespace kiln::x64::normalization
