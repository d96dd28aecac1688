// SPDX-License-Identifier: Apache-2.0
// Shapes of operations that compute each element separately.
#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

status_t infer_nothing(const op_t &op, inputs_t, outputs_t outputs) {
    KILN_REQUIRE(std::ranges::all_of(outputs, has_known_shape), dnnl_unimplemented, "graph",
            "%s: the shapes of its outputs must be given", name_of(op.kind));
    return dnnl_success;
}

status_t infer_same_shape(const op_t &op, inputs_t inputs, outputs_t outputs) {
    for (logical_tensor_t &output : outputs)
        KILN_TRY(set_output_shape(op, output, shape_of(inputs[0])));
    return dnnl_success;
}

status_t infer_gradient(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_REQUIRE_SHAPE(same_shape(inputs[0], inputs[1]),
            "the shapes %s and %s of its inputs differ", to_string(inputs[0]).c_str(),
            to_string(inputs[1]).c_str());
    return infer_same_shape(op, inputs, outputs);
}

status_t infer_prelu_backward(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_REQUIRE_SHAPE(same_shape(inputs[0], inputs[2]),
            "the shape of diff_dst is %s, not that of src (%s)", to_string(inputs[2]).c_str(),
            to_string(inputs[0]).c_str());
    for (size_t i = 0; i < outputs.size(); ++i)
        KILN_TRY(set_output_shape(op, outputs[i], shape_of(inputs[i])));
    return dnnl_success;
}

namespace {

bool broadcasts(const op_t &op) {
    return op.attr<std::string>(dnnl_graph_op_attr_auto_broadcast) == "numpy";
}

} // namespace

status_t infer_broadcast(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const auto lhs = dims_of(inputs[0]);
    const auto rhs = dims_of(inputs[1]);
    KILN_REQUIRE_SHAPE(broadcasts(op) || same_shape(inputs[0], inputs[1]),
            "shapes %s and %s differ and auto_broadcast is none", to_string(lhs).c_str(),
            to_string(rhs).c_str());
    const auto shape = broadcast(lhs, rhs);
    KILN_REQUIRE_SHAPE(shape, "shapes %s and %s cannot be broadcast to each other",
            to_string(lhs).c_str(), to_string(rhs).c_str());
    return set_output_shape(op, outputs[0], *shape);
}

status_t infer_select(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(infer_broadcast(op, inputs.subspan(1), outputs));
    const auto cond = dims_of(inputs[0]);
    const auto dst = dims_of(outputs[0]);
    KILN_REQUIRE_SHAPE(broadcasts(op) ? is_broadcastable(cond, dst) : std::ranges::equal(cond, dst),
            "the shape %s of cond cannot be broadcast to %s", to_string(cond).c_str(),
            to_string(dst).c_str());
    return dnnl_success;
}

status_t infer_bias_add(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const auto &[src, bias] = std::tie(inputs[0], inputs[1]);
    KILN_REQUIRE_SHAPE(src.ndims >= 2, "src has %d dims, not 2 or more", src.ndims);
    const dim_t channels = src.dims[channel_axis(op, src.ndims)];
    KILN_REQUIRE_SHAPE(bias.ndims == 1 && bias.dims[0] == channels,
            "the shape of bias is %s, not %lld (channels)", to_string(bias).c_str(),
            static_cast<long long>(channels));
    return infer_same_shape(op, inputs, outputs);
}

status_t infer_bias_add_backward(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &diff_dst = inputs[0];
    KILN_REQUIRE_SHAPE(diff_dst.ndims >= 2, "diff_dst has %d dims, not 2 or more", diff_dst.ndims);
    return set_output_shape(op, outputs[0], {diff_dst.dims[channel_axis(op, diff_dst.ndims)]});
}

// ---- quantization

namespace {

/// An unknown shape fits any count.
bool has_elements(const logical_tensor_t &lt, dim_t count) {
    const dim_t elements = number_of_elements(lt);
    return elements == count || !has_known_shape(lt);
}

status_t check_groups(const op_t &op, inputs_t inputs) {
    const logical_tensor_t &src = inputs[0];
    for (const logical_tensor_t &factors : inputs.subspan(1)) {
        if (!has_known_shape(src) || !has_known_shape(factors)) continue;
        KILN_REQUIRE_SHAPE(src.ndims >= 2 && factors.ndims == src.ndims,
                "scales or zero points of groups have %d dims, and src has %d", factors.ndims,
                src.ndims);
        for (int d = 0; d < src.ndims; ++d)
            KILN_REQUIRE_SHAPE(factors.dims[d] > 0 && src.dims[d] % factors.dims[d] == 0,
                    "axis %d of src has extent %lld, which is not a multiple of %lld groups", d,
                    static_cast<long long>(src.dims[d]), static_cast<long long>(factors.dims[d]));
    }
    KILN_REQUIRE_SHAPE(inputs.size() < 3 || !has_known_shape(inputs[1])
                               || !has_known_shape(inputs[2]) || same_shape(inputs[1], inputs[2]),
            "the shapes of scales and zero points differ");
    return dnnl_success;
}

} // namespace

status_t check_quantization_scales(const op_t &op, const logical_tensor_t &src) {
    if (op.attr<std::string>(dnnl_graph_op_attr_qtype) != "per_channel" || !has_known_ndims(src))
        return dnnl_success;
    const int axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), src.ndims);
    KILN_REQUIRE_SHAPE(axis >= 0, "attribute axis is out of range for src of %d dims", src.ndims);
    const size_t count = op.attr<std::vector<float>>(dnnl_graph_op_attr_scales).size();
    const dim_t channels = src.dims[axis];
    // Weights of a grouped transposed convolution have the channels of one group and scales for the
    // channels of all groups.
    KILN_REQUIRE_SHAPE(channels <= 0 || count % static_cast<size_t>(channels) == 0,
            "%zu scales are not a multiple of %lld channels", count,
            static_cast<long long>(channels));
    return dnnl_success;
}

status_t infer_quantization(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(check_quantization_scales(op, inputs[0]));
    return infer_same_shape(op, inputs, outputs);
}

status_t check_quantization_operands(const op_t &op, inputs_t inputs) {
    const logical_tensor_t &src = inputs[0];
    const auto &qtype = op.attr<std::string>(dnnl_graph_op_attr_qtype);
    if (qtype == "per_group") return check_groups(op, inputs);
    dim_t count = 1;
    if (qtype == "per_channel") {
        if (!has_known_ndims(src)) return dnnl_success;
        const int axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), src.ndims);
        KILN_REQUIRE_SHAPE(
                axis >= 0, "attribute axis is out of range for src of %d dims", src.ndims);
        count = src.dims[axis];
        if (count == unknown_dim) return dnnl_success;
    }
    KILN_REQUIRE_SHAPE(has_elements(inputs[1], count),
            "the shape of scales is %s, not %lld elements", to_string(inputs[1]).c_str(),
            static_cast<long long>(count));
    KILN_REQUIRE_SHAPE(
            inputs.size() < 3 || has_elements(inputs[2], count) || has_elements(inputs[2], 1),
            "the shape of zps is %s, not %lld elements", to_string(inputs[2]).c_str(),
            static_cast<long long>(count));
    return dnnl_success;
}

status_t infer_dynamic_quantization(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(check_quantization_operands(op, inputs));
    return infer_same_shape(op, inputs, outputs);
}

} // namespace kiln::graph
