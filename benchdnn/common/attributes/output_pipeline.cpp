// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a part of a row at a time.
#include "common/attributes/output_pipeline.hpp"

#include <cmath>

#include "common/attributes/attributes_handle.hpp"
#include "common/attributes/post_ops_reference.hpp"
#include "common/tensor/data_type.hpp"

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

void output_pipeline_t::apply(const segment_t &segment, std::vector<estimate_t> &values) {
    multiply(values, scale_value(attributes_, DNNL_ARG_SRC));
    for (size_t i = 0; i < attributes_.post_ops.chain.size(); ++i) {
        const post_op_t &op = attributes_.post_ops.chain[i];
        if (op.kind == post_op_t::kind_t::binary) apply_binary(op, i, segment, values);
        if (op.kind != post_op_t::kind_t::eltwise) continue;
        for (estimate_t &x : values) x = eltwise_estimate(op, x);
    }
    multiply(values, 1 / scale_value(attributes_, DNNL_ARG_DST));
}

void output_pipeline_t::apply_binary(const post_op_t &op, size_t index, const segment_t &segment,
        std::vector<estimate_t> &values) {
    load_operand(operand_argument(index), segment, operand_);
    if (op.has_condition()) load_operand(condition_argument(index), segment, condition_);
    for (size_t i = 0; i < values.size(); ++i) {
        const bool condition = op.has_condition() && condition_[i] != 0;
        values[i] = binary_estimate(op, values[i], operand_[i], condition);
    }
}

void output_pipeline_t::load_operand(
        int argument, const segment_t &segment, std::vector<double> &values) const {
    const tensor_t &operand = arguments_.original(argument);
    values.resize(segment.count);
    broadcast_rows_t(operand, operand.layout().dims(), dims_).load(segment, values.data());
}

} // namespace benchdnn
