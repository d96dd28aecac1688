// SPDX-License-Identifier: Apache-2.0
// MatMul.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/products/matrix.hpp"
#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

// An operand: its matrices, which are broadcast to those of the result.
struct matrices_t {
    matrices_t(const value_t &value, const dims_t &dims, bool is_transposed, const dims_t &result)
        : value(value)
        , is_transposed(is_transposed)
        , rows(dims.end()[-2])
        , columns(dims.back())
        , index({dims.begin(), dims.end() - 2}, {result.begin(), result.end() - 2}) {}

    // The first element of a row or, of what is transposed, of a column.
    const estimate_t *row(dim_t matrix, dim_t row) const {
        return value.elements.data() + index(matrix) * rows * columns
               + row * (is_transposed ? 1 : columns);
    }
    // Elements from one of a row to the next.
    dim_t step() const { return is_transposed ? columns : 1; }

    const value_t &value;
    const bool is_transposed;
    const dim_t rows, columns;
    const broadcast_index_t index;
};

} // namespace

void compute_matmul(const step_t &step) {
    value_t &dst = *step.outputs[0];
    // A vector is a row as src and a column as weights; dst lacks that axis.
    dims_t src_dims = step.inputs[0]->dims, weights_dims = step.inputs[1]->dims, dims = dst.dims;
    const bool is_row = src_dims.size() == 1, is_column = weights_dims.size() == 1;
    if (is_row) src_dims.insert(src_dims.begin(), 1);
    if (is_column) weights_dims.push_back(1);
    if (is_column) dims.push_back(1);
    if (is_row) dims.insert(dims.end() - 1, 1);
    const bool transpose_a = step.op.get<bool>("transpose_a", false) && !is_row;
    const bool transpose_b = step.op.get<bool>("transpose_b", false) && !is_column;
    const matrices_t src(*step.inputs[0], src_dims, transpose_a, dims);
    const matrices_t weights(*step.inputs[1], weights_dims, transpose_b, dims);
    const dim_t m = dims.end()[-2], n = dims.back();
    const dim_t depth = transpose_a ? src.rows : src.columns;
    const value_t *const bias = step.input(2);
    const double roundings = f32_roundoff * roundings_of_sum(depth);
    // Row by row of the result, so that rows of weights are read in order.
    const auto multiply = [&](dim_t row) {
        estimate_t *const sums = dst.elements.data() + row * n;
        std::vector<double> magnitudes(static_cast<size_t>(n));
        std::fill_n(sums, n, estimate_t());
        const estimate_t *const factors = src.row(row / m, row % m);
        for (dim_t k = 0; k < depth; ++k) {
            const estimate_t factor = factors[k * src.step()];
            const estimate_t *const others = weights.row(row / m, k);
            for (dim_t j = 0; j < n; ++j) {
                const estimate_t term = product_of(factor, others[j * weights.step()]);
                sums[j].value += term.value;
                sums[j].tolerance += term.tolerance;
                magnitudes[static_cast<size_t>(j)] += std::fabs(term.value);
            }
        }
        for (dim_t j = 0; j < n; ++j)
            sums[j].tolerance += roundings * magnitudes[static_cast<size_t>(j)];
    };
    for_each_index(dst.count() / std::max<dim_t>(n, 1), multiply, depth * n);
    if (bias == nullptr) return;
    const broadcast_index_t place(bias->dims, dst.dims);
    for_each_index(dst.count(), [&](dim_t i) {
        estimate_t &result = dst.elements[static_cast<size_t>(i)];
        const estimate_t &shift = bias->elements[static_cast<size_t>(place(i))];
        result.value += shift.value;
        result.tolerance +=
                shift.tolerance + f32_roundoff * (std::fabs(shift.value) + std::fabs(result.value));
    });
}

} // namespace benchdnn::graph
