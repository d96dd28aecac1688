// SPDX-License-Identifier: Apache-2.0
// The functions and derivatives that eltwise_all_floats measures, with their truth in double.
#pragma once

#include <span>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

using truth_t = double (*)(double x, double alpha, double beta);

struct eltwise_row_t {
    const char *name;
    dnnl_alg_kind_t algorithm;
    float alpha, beta;
    truth_t truth; // without cancellation
    bool is_derivative = false;
    truth_t magnitude = nullptr; // what units are of; null: of the result
    int lowest_exponent = -126;  // units are of 2^lowest_exponent at least

    /// Whether x is the result of the function.
    bool is_by_dst() const;
    double bound() const;
};

std::span<const eltwise_row_t> eltwise_rows();

} // namespace kiln::test
