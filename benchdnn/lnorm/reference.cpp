// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of one row, forward and backward, in double.
#include "lnorm/reference.hpp"

#include <algorithm>
#include <cmath>

#include "common/data_type.hpp"

namespace benchdnn::lnorm {

namespace {

constexpr double u = f32_roundoff;

double reciprocal_deviation(const row_t &row, const statistics_t &statistics) {
    return 1 / std::sqrt(statistics.variance.value + row.epsilon);
}

double scale_of(const row_t &row, dim_t col) { return row.scale ? row.scale[col] : 1; }

} // namespace

statistics_t statistics_of(const row_t &row) {
    statistics_t statistics;
    if (row.cols == 0) return statistics;
    const auto cols = static_cast<double>(row.cols);
    const auto [least, most] = std::minmax_element(row.src, row.src + row.cols);
    const double distinct = values_between(row.src_type, *least, *most);
    if (!row.is_rms) {
        running_sum_t sum(distinct);
        for (dim_t c = 0; c < row.cols; ++c) sum.add(row.src[c]);
        statistics.mean = {sum.sum() / cols, sum.tolerance() / cols};
        // The mean itself is an f32 number, divided and stored.
        statistics.mean.tolerance += 2 * u * std::fabs(statistics.mean.value);
    }
    running_sum_t squares(distinct);
    for (dim_t c = 0; c < row.cols; ++c) {
        const double centred = row.src[c] - statistics.mean.value;
        squares.add(centred * centred);
    }
    // A mean that is off by d adds d^2, and no more, to what is summed about it.
    const double off = statistics.mean.tolerance;
    statistics.variance = {squares.sum() / cols, squares.tolerance() / cols + off * off};
    statistics.variance.tolerance += 2 * u * statistics.variance.value;
    return statistics;
}

void forward(const row_t &row, const statistics_t &statistics, estimate_t *dst) {
    const double r = reciprocal_deviation(row, statistics);
    // Half of the variance's relative error, and the roundings of sum, root, quotient and products.
    const double relative = 0.5 * statistics.variance.tolerance * r * r + 8 * u;
    for (dim_t c = 0; c < row.cols; ++c) {
        const double scale = scale_of(row, c);
        const double shift = row.shift ? row.shift[c] : 0;
        const double product = scale * (row.src[c] - statistics.mean.value) * r;
        dst[c].value = product + shift;
        dst[c].tolerance = std::fabs(scale) * r * statistics.mean.tolerance
                           + relative * std::fabs(product) + 2 * u * std::fabs(shift);
    }
}

void backward(const row_t &row, const double *diff_dst, const statistics_t &given,
        bool constant_statistics, estimate_t *diff_src) {
    const double r = reciprocal_deviation(row, given);
    const double mean = given.mean.value;
    const auto cols = static_cast<double>(row.cols);
    running_sum_t plain, weighted;
    for (dim_t c = 0; c < row.cols && !constant_statistics; ++c) {
        const double g = scale_of(row, c) * diff_dst[c];
        if (!row.is_rms) plain.add(g);
        weighted.add(g * (row.src[c] - mean) * r);
    }
    const double average = plain.sum() / cols, average_tolerance = plain.tolerance() / cols;
    const double slope = weighted.sum() / cols, slope_tolerance = weighted.tolerance() / cols;
    for (dim_t c = 0; c < row.cols; ++c) {
        const double g = scale_of(row, c) * diff_dst[c];
        const double x = (row.src[c] - mean) * r;
        const double gradient = r * (g - average - x * slope);
        diff_src[c].value = gradient;
        diff_src[c].tolerance =
                r
                        * (average_tolerance + std::fabs(x) * slope_tolerance
                                + u
                                          * (4 * std::fabs(g) + 2 * std::fabs(average)
                                                  + 8 * std::fabs(x * slope)))
                + 6 * u * std::fabs(gradient);
    }
}

void add_parameter_gradients(const row_t &row, const double *diff_dst, const statistics_t &given,
        running_sum_t *diff_scale, running_sum_t *diff_shift) {
    const double r = reciprocal_deviation(row, given);
    for (dim_t c = 0; c < row.cols; ++c) {
        if (diff_scale) diff_scale[c].add(diff_dst[c] * (row.src[c] - given.mean.value) * r);
        if (diff_shift) diff_shift[c].add(diff_dst[c]);
    }
}

} // namespace benchdnn::lnorm
