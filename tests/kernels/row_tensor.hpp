// SPDX-License-Identifier: Apache-2.0
// Rows of elements at a pitch, in memory that touches an unmapped page at one end.
#pragma once

#include <cstddef>
#include <vector>

#include "support/guarded_buffer.hpp"

#include "common/types.hpp"

namespace kiln::x64::layer_normalization::test {

using kiln::test::placement_t;

/// Every byte begins as a canary, of which four make a NaN and two make one in either 16-bit type:
/// an element that a kernel reads by mistake makes its sums NaN, one that it writes shows here.
class row_tensor_t {
public:
    /// `pitch` in bytes; it has no effect if there is one row.
    row_tensor_t(data_type_t type, dim_t rows, dim_t cols, dim_t pitch, placement_t placement);

    void set(dim_t row, dim_t col, double value);
    double get(dim_t row, dim_t col) const;
    /// Row by row.
    void fill(const std::vector<double> &values);

    std::byte *data() const { return buffer_.data(); }
    std::byte *row(dim_t row) const { return data() + row * pitch_; }
    /// All elements as they lie in memory, without the gaps.
    std::vector<std::byte> bits() const;
    std::vector<std::byte> row_bits(dim_t row) const;
    /// Whether nothing was written between the rows, nor beside them on their pages.
    bool has_intact_gaps() const;

private:
    size_t row_size() const;

    data_type_t type_;
    dim_t rows_;
    dim_t cols_;
    dim_t pitch_;
    kiln::test::guarded_buffer_t buffer_;
};

} // namespace kiln::x64::layer_normalization::test
