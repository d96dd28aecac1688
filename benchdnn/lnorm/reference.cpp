// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of one row, forward and backward, in double.
#include "lnorm/reference.hpp"

namespace benchdnn::lnorm {

namespace {

double scale_of(const row_t &row, dim_t col) { return row.scale ? row.scale[col] : 1; }

} // namespace

statistics_t statistics_of(const row_t &row) {
    return normalization::statistics_of({row.src, row.cols, row.src_type, row.is_rms});
}

void forward(const row_t &row, const statistics_t &statistics, estimate_t *dst) {
    const normalization::normalizer_t normalizer(statistics, row.epsilon);
    for (dim_t c = 0; c < row.cols; ++c)
        dst[c] = normalizer.forward(row.src[c], scale_of(row, c), row.shift ? row.shift[c] : 0);
}

void backward(const row_t &row, const double *diff_dst, const statistics_t &given,
        bool constant_statistics, estimate_t *diff_src) {
    const normalization::normalizer_t normalizer(given, row.epsilon);
    normalization::src_gradient_t gradient(
            normalizer, normalization::gradient_terms(constant_statistics, row.is_rms));
    for (dim_t c = 0; c < row.cols; ++c) gradient.add(row.src[c], scale_of(row, c) * diff_dst[c]);
    gradient.end_sums();
    for (dim_t c = 0; c < row.cols; ++c)
        diff_src[c] = gradient.of(row.src[c], scale_of(row, c) * diff_dst[c]);
}

void add_parameter_gradients(const row_t &row, const double *diff_dst, const statistics_t &given,
        running_sum_t *diff_scale, running_sum_t *diff_shift) {
    const normalization::normalizer_t normalizer(given, row.epsilon);
    for (dim_t c = 0; c < row.cols; ++c) {
        if (diff_scale) diff_scale[c].add(diff_dst[c] * normalizer.normalized(row.src[c]));
        if (diff_shift) diff_shift[c].add(diff_dst[c]);
    }
}

} // namespace benchdnn::lnorm
