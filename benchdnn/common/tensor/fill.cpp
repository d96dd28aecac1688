// SPDX-License-Identifier: Apache-2.0
// Reproducible values for tensors.
#include "common/tensor/fill.hpp"

#include <cmath>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/parallel.hpp"

namespace benchdnn {

uint64_t seed_of(const std::string &text) {
    uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
    return hash;
}

void fill_rows(tensor_t &tensor, const std::function<void(dim_t row, double *values)> &row_values) {
    if (tensor.layout().elements() == 0) return;
    parallel_shares(tensor.rows(), [&](int, dim_t begin, dim_t end) {
        std::vector<double> values(tensor.cols());
        for (dim_t row = begin; row < end; ++row) {
            row_values(row, values.data());
            tensor.store_row(row, values.data());
        }
    });
}

void fill_operand(tensor_t &tensor, uint64_t seed) {
    const noise_t noise(seed);
    const dnnl_data_type_t type = tensor.layout().data_type();
    const dim_t cols = tensor.layout().ndims() ? tensor.cols() : 0;
    fill_rows(tensor, [&](dim_t row, double *values) {
        for (dim_t col = 0; col < cols; ++col) {
            const double x = noise(row * cols + col);
            const double magnitude = is_integer_type(type) ? 1 + std::floor(2.99 * std::fabs(x))
                                                           : 0.5 + 1.5 * std::fabs(x);
            values[col] = x < 0 && type != dnnl_u8 ? -magnitude : magnitude;
        }
    });
}

void fill_condition(tensor_t &tensor, uint64_t seed) {
    const noise_t noise(seed);
    const dim_t cols = tensor.layout().ndims() ? tensor.cols() : 0;
    fill_rows(tensor, [&](dim_t row, double *values) {
        for (dim_t col = 0; col < cols; ++col) values[col] = noise(row * cols + col) > 0;
    });
}

} // namespace benchdnn
