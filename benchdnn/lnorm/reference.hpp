// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of one row, forward and backward, in double, each value with the
// error that a correct f32 computation may have. Pure arithmetic: no tensors, no library.
#pragma once

#include "normalization/reference.hpp"

namespace benchdnn::lnorm {

using normalization::statistics_t;

struct row_t {
    const double *src;
    dim_t cols;
    dnnl_data_type_t src_type; // limits how many different values there are
    double epsilon;
    bool is_rms;
    const double *scale; // null: 1
    const double *shift; // null: 0; forward only
};

statistics_t statistics_of(const row_t &row);

// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift
void forward(const row_t &row, const statistics_t &statistics, estimate_t *dst);

void backward(const row_t &row, const double *diff_dst, const statistics_t &given,
        bool constant_statistics, estimate_t *diff_src);

// Adds the row's share to diff_scale (diff_dst * x) and diff_shift (diff_dst); either may be null.
void add_parameter_gradients(const row_t &row, const double *diff_dst, const statistics_t &given,
        running_sum_t *diff_scale, running_sum_t *diff_shift);

} // namespace benchdnn::lnorm
