// SPDX-License-Identifier: Apache-2.0
// Post-operations in double, with their tolerance, by the definitions of the interface.
#pragma once

#include "common/attributes/post_ops.hpp"
#include "common/tensor/estimate.hpp"

namespace benchdnn {

double eltwise_value(dnnl_alg_kind_t algorithm, double x, double alpha, double beta);
// condition: for binary_select only.
double binary_value(dnnl_alg_kind_t algorithm, double x, double operand, bool condition);

// rounded_to: the type that the result becomes next. Libraries compute some functions with fewer
// instructions where it has 16 bits.
estimate_t eltwise_estimate(
        const post_op_t &op, estimate_t input, dnnl_data_type_t rounded_to = dnnl_f32);
estimate_t binary_estimate(const post_op_t &op, estimate_t input, double operand, bool condition);
estimate_t prelu_estimate(estimate_t input, double weight);

} // namespace benchdnn
