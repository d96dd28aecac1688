// SPDX-License-Identifier: Apache-2.0
// The eltwise driver's results against their reference in double.
#pragma once

#include <vector>

#include "eltwise/problem.hpp"

namespace benchdnn::eltwise {

// The derivative of the function at x or, if it uses dst, where the function is x, with the error
// that f32 arithmetic may have.
estimate_t slope_estimate(dnnl_alg_kind_t algorithm, double x, double alpha, double beta);

// dst, or diff_src.
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::eltwise
