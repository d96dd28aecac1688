// SPDX-License-Identifier: Apache-2.0
// What the functions of the gemm family do to C beside the product; the CPU engine defines the
// functions, whose rows are shared by its threads.
#pragma once

#include <algorithm>

#include "common/types.hpp"

namespace kiln {

/// A row-major matrix.
template <typename element_t> struct gemm_rows_t {
    element_t *data;
    dim_t rows, columns, pitch;
    element_t *row(dim_t m) const { return data + m * pitch; }
};

/// co[0], co[n] or co[m] for the element (m, n).
struct gemm_offset_t {
    char kind;
    const int32_t *values; // null: there is no offset
    bool exists() const { return values != nullptr; }
    bool is_fixed() const { return kind == 'F' || kind == 'f'; }
    bool is_row() const { return kind == 'R' || kind == 'r'; }
    bool is_column() const { return kind == 'C' || kind == 'c'; }
    dim_t count(dim_t rows, dim_t columns) const {
        return is_fixed() ? 1 : is_row() ? columns : rows;
    }
    /// Whether the offsets of all elements of a matrix of this size are zero.
    bool is_zero(dim_t rows, dim_t columns) const {
        return std::all_of(values, values + count(rows, columns), [](int32_t x) { return x == 0; });
    }
    /// Of the row m: the offset of its first column, and the distance to that of the next one.
    const int32_t *row(dim_t m) const {
        static constexpr int32_t none = 0;
        if (!exists()) return &none;
        return is_column() ? values + m : values;
    }
    dim_t step() const { return exists() && is_row() ? 1 : 0; }
    /// Of the rows from `first` on.
    gemm_offset_t behind(dim_t first) const { return {kind, exists() ? row(first) : nullptr}; }
};

/// C = beta * C.
void scale_rows(const gemm_rows_t<float> &c, float beta);

/// C = alpha * product + beta * C + co in double, rounded once to the nearest s32, ties to even.
void combine_rows(const gemm_rows_t<int32_t> &c, float alpha,
        const gemm_rows_t<const int32_t> &product, float beta, const gemm_offset_t &offset);

} // namespace kiln
