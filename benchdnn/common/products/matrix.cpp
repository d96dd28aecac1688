// SPDX-License-Identifier: Apache-2.0
// Products of matrices in double.
#include "common/products/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

matrix_t::matrix_t(dim_t rows, dim_t columns)
    : rows(rows)
    , columns(columns)
    , values(static_cast<size_t>(rows * columns)) {}

void matrix_t::measure() {
    row_norms.assign(static_cast<size_t>(rows), 0);
    column_norms.assign(static_cast<size_t>(columns), 0);
    for (dim_t r = 0; r < rows; ++r)
        for (dim_t c = 0; c < columns; ++c) {
            const double square = row(r)[c] * row(r)[c];
            row_norms[r] += square;
            column_norms[c] += square;
        }
    for (double &norm : row_norms) norm = std::sqrt(norm);
    for (double &norm : column_norms) norm = std::sqrt(norm);
    is_bf16 = std::all_of(values.begin(), values.end(),
            [](double value) { return rounded_to(dnnl_bf16, value) == value; });
}

matrix_t matrix_t::transposed() const {
    matrix_t result(columns, rows);
    for (dim_t r = 0; r < rows; ++r)
        for (dim_t c = 0; c < columns; ++c) result.row(c)[r] = row(r)[c];
    return result;
}

void estimate_row(const matrix_t &a, const matrix_t &b, dim_t row, dim_t first,
        const arithmetic_t &arithmetic, std::vector<estimate_t> &values) {
    const bool rounds_factors = arithmetic.may_round_factors && !(a.is_bf16 && b.is_bf16);
    std::vector<double> sums(values.size()), squares(rounds_factors ? values.size() : 0);
    for (dim_t k = 0; k < a.columns; ++k) {
        const double factor = a.row(row)[k];
        const double *terms = b.row(k) + first;
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += factor * terms[i];
        for (size_t i = 0; i < squares.size(); ++i)
            squares[i] += factor * terms[i] * (factor * terms[i]);
    }
    // Seven deviations of a sum whose terms are products of two rounded factors: 7 sqrt(2 / 6), see
    // tests/support/roundings.hpp.
    constexpr double error_of_product = 4 * 0x1p-8;
    const double relative =
            f32_roundoff * (roundings_of_sum(a.columns) + arithmetic.roundings_of_factors);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = quantization::loaded(sums[i]);
        if (rounds_factors) values[i].tolerance += error_of_product * std::sqrt(squares[i]);
        if (arithmetic.is_exact && arithmetic.roundings_of_factors == 0) continue;
        values[i].tolerance +=
                relative * a.row_norms[row] * b.column_norms[static_cast<size_t>(first) + i];
    }
}

} // namespace benchdnn
