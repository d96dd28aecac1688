// SPDX-License-Identifier: Apache-2.0
// Shapes of what happens to each element by itself.
#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

using inputs_t = std::span<const logical_tensor_t>;
using outputs_t = std::span<logical_tensor_t>;

status_t infer_nothing(const op_t &op, inputs_t, outputs_t outputs) {
    KILN_REQUIRE(std::ranges::all_of(outputs, has_known_shape), dnnl_unimplemented, "graph",
            "%s: what shape its outputs have only the program knows", name_of(op.kind));
    return dnnl_success;
}

status_t infer_same_shape(const op_t &op, inputs_t inputs, outputs_t outputs) {
    for (logical_tensor_t &output : outputs) KILN_TRY(settle(op, output, shape_of(inputs[0])));
    return dnnl_success;
}

status_t infer_gradient(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_REQUIRE_SHAPE(same_shape(inputs[0], inputs[1]), "its inputs are %s and %s",
            to_string(dims_of(inputs[0])).c_str(), to_string(dims_of(inputs[1])).c_str());
    return infer_same_shape(op, inputs, outputs);
}

status_t infer_pairwise(const op_t &op, inputs_t inputs, outputs_t outputs) {
    for (size_t i = 0; i < outputs.size(); ++i)
        KILN_TRY(settle(op, outputs[i], shape_of(inputs[i])));
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
            "%s and %s differ, and auto_broadcast is none", to_string(lhs).c_str(),
            to_string(rhs).c_str());
    const auto shape = broadcast(lhs, rhs);
    KILN_REQUIRE_SHAPE(
            shape, "%s and %s do not fit", to_string(lhs).c_str(), to_string(rhs).c_str());
    return settle(op, outputs[0], *shape);
}

status_t infer_select(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(infer_broadcast(op, inputs.subspan(1), outputs));
    const auto cond = dims_of(inputs[0]);
    const auto dst = dims_of(outputs[0]);
    KILN_REQUIRE_SHAPE(broadcasts(op) ? is_broadcastable(cond, dst) : std::ranges::equal(cond, dst),
            "cond of %s does not fit %s", to_string(cond).c_str(), to_string(dst).c_str());
    return dnnl_success;
}

status_t infer_bias_add(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const auto &[src, bias] = std::tie(inputs[0], inputs[1]);
    KILN_REQUIRE_SHAPE(src.ndims >= 2, "src has %d dims", src.ndims);
    const dim_t channels = src.dims[channel_axis(op, src.ndims)];
    KILN_REQUIRE_SHAPE(bias.ndims == 1 && bias.dims[0] == channels,
            "a bias of %s for %lld channels", to_string(dims_of(bias)).c_str(),
            static_cast<long long>(channels));
    return infer_same_shape(op, inputs, outputs);
}

status_t infer_bias_add_backward(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &diff_dst = inputs[0];
    KILN_REQUIRE_SHAPE(diff_dst.ndims >= 2, "diff_dst has %d dims", diff_dst.ndims);
    return settle(op, outputs[0], {diff_dst.dims[channel_axis(op, diff_dst.ndims)]});
}

// ---- quantization

namespace {

/// One dim of unknown extent fits any count.
bool has_elements(const logical_tensor_t &lt, dim_t count) {
    const dim_t elements = number_of_elements(lt);
    return elements == count || !has_known_shape(lt);
}

status_t check_groups(const op_t &op, inputs_t inputs) {
    const logical_tensor_t &src = inputs[0];
    for (const logical_tensor_t &factors : inputs.subspan(1)) {
        if (!has_known_shape(src) || !has_known_shape(factors)) continue;
        KILN_REQUIRE_SHAPE(src.ndims >= 2 && factors.ndims == src.ndims,
                "groups have %d dims, src has %d", factors.ndims, src.ndims);
        for (int d = 0; d < src.ndims; ++d)
            KILN_REQUIRE_SHAPE(factors.dims[d] > 0 && src.dims[d] % factors.dims[d] == 0,
                    "axis %d of src, %lld, is not cut into %lld groups", d,
                    static_cast<long long>(src.dims[d]), static_cast<long long>(factors.dims[d]));
    }
    KILN_REQUIRE_SHAPE(inputs.size() < 3 || !has_known_shape(inputs[1])
                               || !has_known_shape(inputs[2]) || same_shape(inputs[1], inputs[2]),
            "scales and zero points differ in shape");
    return dnnl_success;
}

} // namespace

status_t check_quantization_scales(const op_t &op, const logical_tensor_t &src) {
    if (op.attr<std::string>(dnnl_graph_op_attr_qtype) != "per_channel" || !has_known_ndims(src))
        return dnnl_success;
    const int axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), src.ndims);
    KILN_REQUIRE_SHAPE(axis >= 0, "src has %d dims, too few for the axis", src.ndims);
    const size_t count = op.attr<std::vector<float>>(dnnl_graph_op_attr_scales).size();
    const dim_t channels = src.dims[axis];
    // Weights of a transposed convolution have as many scales as there are channels in all its
    // groups, and the channels of one group.
    KILN_REQUIRE_SHAPE(channels <= 0 || count % static_cast<size_t>(channels) == 0,
            "%zu scales for %lld channels", count, static_cast<long long>(channels));
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
        KILN_REQUIRE_SHAPE(axis >= 0, "src has %d dims, too few for the axis", src.ndims);
        count = src.dims[axis];
        if (count == unknown_dim) return dnnl_success;
    }
    KILN_REQUIRE_SHAPE(has_elements(inputs[1], count), "scales of %s where there are %lld",
            to_string(dims_of(inputs[1])).c_str(), static_cast<long long>(count));
    KILN_REQUIRE_SHAPE(
            inputs.size() < 3 || has_elements(inputs[2], count) || has_elements(inputs[2], 1),
            "zero points of %s where there are %lld", to_string(dims_of(inputs[2])).c_str(),
            static_cast<long long>(count));
    return dnnl_success;
}

status_t infer_dynamic_quantization(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(check_quantization_operands(op, inputs));
    return infer_same_shape(op, inputs, outputs);
}

} // namespace kiln::graph
