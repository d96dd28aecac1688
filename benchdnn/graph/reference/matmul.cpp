// SPDX-License-Identifier: Apache-2.0
// MatMul.
#include <cmath>

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

    const estimate_t &at(dim_t matrix, dim_t row, dim_t column) const {
        if (is_transposed) std::swap(row, column);
        return value.elements[static_cast<size_t>((index(matrix) * rows + row) * columns + column)];
    }

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
    const auto multiply = [&](dim_t i) {
        double sum = 0, magnitudes = 0, tolerance = 0;
        for (dim_t k = 0; k < depth; ++k) {
            const estimate_t term =
                    product_of(src.at(i / n / m, i / n % m, k), weights.at(i / n / m, k, i % n));
            sum += term.value;
            magnitudes += std::fabs(term.value);
            tolerance += term.tolerance;
        }
        estimate_t &result = dst.elements[static_cast<size_t>(i)];
        result = {sum, tolerance + f32_roundoff * roundings_of_sum(depth) * magnitudes};
        if (bias == nullptr) return;
        const estimate_t &shift =
                bias->elements[static_cast<size_t>(broadcast_index_t(bias->dims, dst.dims)(i))];
        result.value += shift.value;
        result.tolerance +=
                shift.tolerance + f32_roundoff * (std::fabs(shift.value) + std::fabs(result.value));
    };
    for_each_index(dst.count(), multiply, depth);
}

} // namespace benchdnn::graph
