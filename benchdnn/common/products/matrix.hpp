// SPDX-License-Identifier: Apache-2.0
// Products of matrices in double, with the error that sums in f32 may have.
#pragma once

#include <cmath>
#include <vector>

#include "common/tensor/estimate.hpp"
#include "common/tensor/tensor.hpp"

namespace benchdnn {

// A row-major matrix, the square root of the sum of squares of each of its lines, and whether bf16
// holds all values.
struct matrix_t {
    dim_t rows = 0, columns = 0;
    std::vector<double> values;
    std::vector<double> row_norms, column_norms;
    bool is_bf16 = false;

    matrix_t(dim_t rows, dim_t columns);
    double *row(dim_t row) { return values.data() + row * columns; }
    const double *row(dim_t row) const { return values.data() + row * columns; }
    // To be called when the values are set.
    void measure();
    matrix_t transposed() const;
};

// How many roundings of f32 the error of a sum of `terms` may have, relative to the sum of |terms|:
// the order is the library's, so errors are taken as independent.
inline double roundings_of_sum(dim_t terms) {
    return 8 + 2 * std::sqrt(static_cast<double>(terms));
}

// How the library may compute.
struct arithmetic_t {
    bool is_exact = false;           // integers
    double roundings_of_factors = 0; // of each product, in f32: by scales
    bool may_round_factors = false;  // to the nearest bf16
};

// Row `row` of a x b, from column `first` on. The sum of |terms| is at most the product of norms;
// errors of factors are independent, so those of a sum grow as the root of the sum of squares.
void estimate_row(const matrix_t &a, const matrix_t &b, dim_t row, dim_t first,
        const arithmetic_t &arithmetic, std::vector<estimate_t> &values);

} // namespace benchdnn
