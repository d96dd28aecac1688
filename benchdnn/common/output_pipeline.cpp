// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a row at a time.
#include "common/output_pipeline.hpp"

#include <cmath>

#include "common/attributes_handle.hpp"
#include "common/data_type.hpp"
#include "common/post_ops_reference.hpp"
#include "common/segments.hpp"

namespace benchdnn {

namespace {

// factor with the value of one scale as its data type holds it; 1 where there is none.
double scale_value(const attributes_t &attributes, int argument) {
    const quantization_entry_t *entry = attributes.scales.find(argument);
    return entry ? rounded_to(entry->data_type, entry->value) : 1;
}

void multiply(std::vector<estimate_t> &values, double factor) {
    if (factor == 1) return;
    for (estimate_t &x : values) {
        x.value *= factor;
        // 2: a division may be done as a product with the rounded reciprocal.
        x.tolerance = x.tolerance * std::fabs(factor) + 2 * f32_roundoff * std::fabs(x.value);
    }
}

} // namespace

output_pipeline_t::output_pipeline_t(
        const attributes_t &attributes, const arguments_t &arguments, const dims_t &dims)
    : attributes_(attributes)
    , arguments_(arguments)
    , dims_(dims) {}

void output_pipeline_t::apply(dim_t row, std::vector<estimate_t> &values) {
    multiply(values, scale_value(attributes_, DNNL_ARG_SRC));
    for (size_t i = 0; i < attributes_.post_ops.chain.size(); ++i) {
        const post_op_t &op = attributes_.post_ops.chain[i];
        if (op.kind == post_op_t::kind_t::binary) apply_binary(op, i, row, values);
        if (op.kind != post_op_t::kind_t::eltwise) continue;
        for (estimate_t &x : values) x = eltwise_estimate(op, x);
    }
    multiply(values, 1 / scale_value(attributes_, DNNL_ARG_DST));
}

void output_pipeline_t::apply_binary(
        const post_op_t &op, size_t index, dim_t row, std::vector<estimate_t> &values) {
    operand_row(operand_argument(index), row, operand_);
    if (op.has_condition()) operand_row(condition_argument(index), row, condition_);
    for (size_t col = 0; col < values.size(); ++col) {
        const bool condition = op.has_condition() && condition_[col] != 0;
        values[col] = binary_estimate(op, values[col], operand_[col], condition);
    }
}

const std::vector<double> &output_pipeline_t::operand_row(
        int argument, dim_t row, std::vector<double> &values) {
    const tensor_t &operand = arguments_.original(argument);
    values.resize(dims_.back());
    broadcast_rows_t(operand, operand.layout().dims(), dims_)
            .load({row, 0, dims_.back()}, values.data());
    return values;
}

} // namespace benchdnn
