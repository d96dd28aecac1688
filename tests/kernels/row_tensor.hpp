// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/types.hpp"
#include "kernels/rows_buffer.hpp"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

using kiln::test::placement_t;

/// Rows of elements that are doubles to the test. Every byte begins as a mark of which four make a
/// NaN and two make one in either 16-bit type: an element that a kernel reads by mistake makes its
/// sums NaN, one that it writes shows here.
class row_tensor_t : public x64::test::marked_rows_t {
public:
    static constexpr std::byte mark{0xff};

    /// `pitch` in bytes; it has no effect if there is one row.
    row_tensor_t(data_type_t type, dim_t rows, dim_t cols, dim_t pitch, placement_t placement)
        : marked_rows_t(
                static_cast<int>(kiln::test::size_of(type)), rows, cols, pitch, placement, 1, mark)
        , type_(type) {}

    void set(dim_t row, dim_t col, double value) { kiln::test::encode(type_, value, at(row, col)); }
    double get(dim_t row, dim_t col) const { return kiln::test::decode(type_, at(row, col)); }
    /// Row by row.
    void fill(const std::vector<double> &values) {
        auto value = values.begin();
        for (dim_t row = 0; row < rows(); ++row)
            for (dim_t col = 0; col < columns(); ++col) set(row, col, *value++);
    }

    std::vector<std::byte> row_bits(dim_t row) const {
        return {at(row, 0), end_of(row, columns() - 1)};
    }
    /// All elements as they lie in memory, without the gaps.
    std::vector<std::byte> bits() const {
        std::vector<std::byte> all;
        for (dim_t row = 0; row < rows(); ++row)
            all.insert(all.end(), at(row, 0), end_of(row, columns() - 1));
        return all;
    }

private:
    data_type_t type_;
};

} // namespace kiln::x64::layer_normalization::test
