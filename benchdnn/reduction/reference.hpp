// SPDX-License-Identifier: Apache-2.0
// One result of a reduction from its terms, in double, with the error that f32 arithmetic may have
// in whatever order it takes the terms. Pure arithmetic: no tensors, no library.
#pragma once

#include "common/tensor/estimate.hpp"
#include "common/tensor/exact_sum.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn::reduction {

// Over the R terms x of a result, with s = sum(|x|^p):
//   max, min, sum, mul       the greatest, the least, the sum, the product of all x
//   mean                     sum(x) / R
//   norm_lp_max, _sum        max(s, epsilon)^(1/p), (s + epsilon)^(1/p)
//   norm_lp_power_p_max, _sum    max(s, epsilon), s + epsilon
struct formula_t {
    dnnl_alg_kind_t algorithm = dnnl_reduction_sum;
    double p = 1, epsilon = 0;

    bool is_norm() const { return algorithm >= dnnl_reduction_norm_lp_max; }
};

class accumulator_t {
public:
    explicit accumulator_t(const formula_t &formula)
        : formula_(formula) {}

    void add(estimate_t x);
    void add(double x) { add(estimate_t{x, 0}); }
    // type: of src, which limits how many different values the terms can take; undef: no limit.
    estimate_t result(dnnl_data_type_t type = dnnl_data_type_undef) const;

private:
    void add_to_sum(estimate_t term);
    void multiply(estimate_t x);
    estimate_t sum(dnnl_data_type_t type) const;
    estimate_t mean(dnnl_data_type_t type) const;
    estimate_t product() const;
    estimate_t norm(dnnl_data_type_t type) const;
    estimate_t extreme() const;

    formula_t formula_;
    double count_ = 0;
    double least_ = HUGE_VAL, most_ = -HUGE_VAL; // of x
    bool has_nan_ = false;
    double largest_tolerance_ = 0; // of x

    running_sum_t sum_;
    extent_t extent_;        // of what is added up
    double term_errors_ = 0; // of what is added up, beyond the roundings of the sum

    estimate_t product_{1, 0};
    double inexact_factors_ = 0; // those by which multiplying rounds
};

} // namespace benchdnn::reduction
