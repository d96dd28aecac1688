// SPDX-License-Identifier: Apache-2.0
// What src of a reduction holds. Each result has a level of its own, each term its own value, and
// results stay within what dst holds, so that a missing, doubled or misplaced term moves a result
// by more than rounding does. Pure arithmetic: no tensors, no library.
#pragma once

#include "common/tensor/fill.hpp"
#include "reduction/reference.hpp"

namespace benchdnn::reduction {

class src_values_t {
public:
    // terms: of one result.
    src_values_t(const formula_t &formula, dnnl_data_type_t src, dnnl_data_type_t dst, dim_t terms,
            uint64_t seed);

    double operator()(dim_t result, dim_t term) const;

private:
    // In [-1, 1]; in [0.25, 1] where src or dst has no negative values.
    double level(dim_t result) const;
    double extreme(dim_t result, dim_t term) const;
    double addend(dim_t result, dim_t term) const;
    double factor(dim_t result, dim_t term) const;
    double norm_term(dim_t result, dim_t term) const;
    // An integer type's neighbours of x at random, so that their mean is x.
    double settled(double x, dim_t index) const;

    const formula_t formula_;
    const dnnl_data_type_t src_, dst_;
    const double terms_;
    const bool is_unsigned_;
    double reach_; // of results
    double span_;  // of src's values
    noise_t noise_, levels_, choices_;
};

} // namespace benchdnn::reduction
