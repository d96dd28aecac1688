// SPDX-License-Identifier: Apache-2.0
// What src holds. Pure arithmetic: no tensors, no library.
//
// Most elements are carriers: 251 values, each for both types' sake within reach, so that they
// still differ in dst; 251 is prime, so no block size divides the period. The turns are shifted
// against each other, so that the sequence itself repeats after 251 * 251 elements only. Between
// them lie special values: limits, ties, subnormals, zeros of both signs, infinities, NaN.
#pragma once

#include <vector>

#include "common/tensor/dims.hpp"

namespace benchdnn::reorder {

// dst = (src - src_zero_point) * factor + dst_zero_point, as far as single values tell it.
struct mapping_t {
    double factor = 1, src_zero_point = 0, dst_zero_point = 0;
    bool has_tensor_scales = false; // of both signs, about 1
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
