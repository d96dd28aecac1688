// SPDX-License-Identifier: Apache-2.0
// What kernels of layer normalization should give, in double.
#include "kernels/row_model.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

std::string wrong(const char *name, dim_t row, dim_t col, const estimate_t &expected, double got) {
    std::ostringstream text;
    text.precision(9);
    text << name << " of row " << row << " column " << col << ": expected " << expected.value
         << " +- " << expected.error << ", got " << got;
    return text.str();
}

moments_t moments_of(const double *x, dim_t cols, bool is_rms) {
    return moments_of(x, cols, is_rms, static_cast<double>(cols) / 8 + 12);
}

moments_t moments_of(const double *x, dim_t cols, bool is_rms, double chain) {
    const auto count = static_cast<double>(cols);
    double sum = 0, sum_abs = 0, squares = 0;
    for (dim_t c = 0; c < cols; ++c) sum += x[c], sum_abs += std::abs(x[c]);
    const auto [least, greatest] = std::minmax_element(x, x + cols);
    moments_t found;
    if (!is_rms) {
        found.mean.value = sum / count;
        const double terms = *greatest - *least + sum_abs / count;
        found.mean.error = unit * (2 * std::abs(found.mean.value) + chain * terms);
    }
    for (dim_t c = 0; c < cols; ++c)
        squares += (x[c] - found.mean.value) * (x[c] - found.mean.value);
    found.variance.value = squares / count;
    found.variance.error = 16 * chain * unit * found.variance.value;
    return found;
}

estimate_t stored(data_type_t type, estimate_t y) {
    if (std::isnan(y.value)) return {kiln::test::is_integer(type) ? 0 : y.value, 0};
    if (kiln::test::is_integer(type)) {
        const double least = type == dnnl_s8 ? -128 : 0;
        return {std::clamp(y.value, least, least + 255), y.error + 0.5};
    }
    y.error += kiln::test::unit_roundoff(type) * (std::abs(y.value) + y.error);
    if (type == dnnl_f16) y.error += std::ldexp(1, -25); // half its least value
    return y;
}

std::vector<double> fill(row_tensor_t &tensor, data_type_t type, std::vector<double> values) {
    for (double &value : values) value = kiln::test::rounded(type, value);
    tensor.fill(values);
    return values;
}

} // namespace kiln::x64::layer_normalization::test
