// SPDX-License-Identifier: Apache-2.0
// The values of src. Pure arithmetic: no tensors, no library.
// Most elements are carriers: 251 values in the range of both types, so that they still differ in
// dst; 251 is prime, so no block size divides the period. Each repetition is shifted against the
// one before it, so that the sequence repeats only after 251 * 251 elements. Between them are
// special values: limits, ties, subnormals, zeros of both signs, infinities, NaN.
#pragma once

#include <vector>

#include "common/tensor/dims.hpp"

namespace benchdnn::reorder {

// dst = (src - src_zero_point) * factor + dst_zero_point, with scales and zero points that are
// single values.
struct mapping_t {
    double factor = 1, src_zero_point = 0, dst_zero_point = 0;
    bool has_tensor_scales = false; // of both signs, with magnitudes around 1
    bool computes = false;          // there are attributes
    bool has_post_ops = false;      // others than sum
};

class src_values_t {
public:
    src_values_t(
            dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping, dim_t elements);
    double operator()(dim_t index) const;

    const std::vector<double> &carriers() const { return carriers_; }
    const std::vector<double> &specials() const { return specials_; }

private:
    std::vector<double> carriers_, specials_;
    dim_t distance_; // between specials
};

} // namespace benchdnn::reorder
