// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a segment of a row at a time.
#include "common/attributes/output_pipeline.hpp"

#include <algorithm>

#include "common/attributes/attributes_handle.hpp"
#include "common/attributes/dropout_reference.hpp"
#include "common/attributes/post_ops_reference.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

quantizer_t::quantizer_t(const quantization_t &quantization, int kind, int argument,
        const arguments_t &arguments, const dims_t &dims) {
    const quantization_entry_t *entry = quantization.find(argument);
    if (!entry) return;
    is_given_ = true;
    value_ = rounded_to(entry->data_type, entry->value);
    if (entry->broadcast.is_single_value()) return;
    const int mask = entry->broadcast.mask(static_cast<int>(dims.size()), 0);
    dims_t extents = dims;
    for (size_t axis = 0; axis < dims.size(); ++axis)
        if (!(mask >> axis & 1)) extents[axis] = 1;
    rows_.emplace(arguments.original(kind | argument), extents, dims);
}

void quantizer_t::load(const segment_t &segment, double *values) const {
    if (rows_)
        rows_->load(segment, values);
    else
        std::fill_n(values, segment.count, value_);
}

output_pipeline_t::output_pipeline_t(
        const attributes_t &attributes, const arguments_t &arguments, const dims_t &dims)
    : attributes_(attributes)
    , arguments_(arguments)
    , dims_(dims)
    , src_scale_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC, arguments, dims)
    , dst_scale_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_DST, arguments, dims)
    , src_zero_point_(
              attributes.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_SRC, arguments, dims)
    , dst_zero_point_(
              attributes.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_DST, arguments, dims) {}

void output_pipeline_t::apply(const segment_t &segment, std::vector<estimate_t> &values) {
    quantize(src_zero_point_, segment, values,
            [](estimate_t x, double zero) { return quantization::shifted(x, -zero); });
    quantize(src_scale_, segment, values, quantization::scaled);
    if (!attributes_.dropout.text.empty()) {
        const dim_t first = segment.index(dims_.back());
        for (dim_t i = 0; i < segment.count; ++i)
            values[i] = dropped_out(attributes_.dropout, first + i, values[i]);
    }
    const auto &chain = attributes_.post_ops.chain;
    for (size_t i = 0; i < chain.size(); ++i) {
        const post_op_t &op = chain[i];
        if (op.kind == post_op_t::kind_t::sum) apply_sum(op, segment, values);
        if (op.kind == post_op_t::kind_t::binary) apply_binary(op, i, segment, values);
        if (op.kind == post_op_t::kind_t::prelu) apply_prelu(i, segment, values);
        if (op.kind == post_op_t::kind_t::eltwise)
            for (estimate_t &x : values)
                x = eltwise_estimate(op, x, i + 1 == chain.size() ? dst_type() : dnnl_f32);
    }
    quantize(dst_scale_, segment, values, quantization::divided);
    quantize(dst_zero_point_, segment, values, quantization::shifted);
}

template <typename step_t>
void output_pipeline_t::quantize(const quantizer_t &quantizer, const segment_t &segment,
        std::vector<estimate_t> &values, step_t step) {
    if (!quantizer.is_given()) return;
    operand_.resize(segment.count);
    quantizer.load(segment, operand_.data());
    for (size_t i = 0; i < values.size(); ++i) values[i] = step(values[i], operand_[i]);
}

dnnl_data_type_t output_pipeline_t::dst_type() const {
    return arguments_.original(arguments_.owner_of(DNNL_ARG_DST)).layout().data_type();
}

void output_pipeline_t::apply_sum(
        const post_op_t &op, const segment_t &segment, std::vector<estimate_t> &values) {
    operand_.resize(segment.count);
    const tensor_t &prior = arguments_.original(arguments_.owner_of(DNNL_ARG_DST));
    const dnnl_data_type_t type = prior.layout().data_type();
    if (op.data_type == dnnl_data_type_undef || op.data_type == type)
        prior.load_span(segment.row, segment.first, segment.count, operand_.data());
    else
        for (dim_t i = 0; i < segment.count; ++i)
            operand_[i] = prior.load_as(op.data_type, segment.index(prior.cols()) + i);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] =
                quantization::accumulated(values[i], op.sum_scale, operand_[i] - op.sum_zero_point);
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

void output_pipeline_t::apply_prelu(
        size_t index, const segment_t &segment, std::vector<estimate_t> &values) {
    load_operand(weights_argument(index), segment, operand_);
    for (size_t i = 0; i < values.size(); ++i) values[i] = prelu_estimate(values[i], operand_[i]);
}

void output_pipeline_t::load_operand(
        int argument, const segment_t &segment, std::vector<double> &values) const {
    const tensor_t &operand = arguments_.original(argument);
    values.resize(segment.count);
    broadcast_rows_t(operand, operand.layout().dims(), dims_).load(segment, values.data());
}

} // namespace benchdnn
