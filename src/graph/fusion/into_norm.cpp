// SPDX-License-Identifier: Apache-2.0
// Rules for operations before a normalization: a residual addition, a conversion, ReLUBackward.

#include <algorithm>
#include <cmath>

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/operations/normalization/group_normalization_pd.hpp"
#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {

// -- Add -> normalization; the sum may be an output -----------------------------------------------

ops_t match_residual_add(const group_t &group, const edges_t &edges) {
    const std::vector<logical_tensor_t> &inputs = group.anchor->inputs;
    const op_t *const add = edges.producer(inputs[0].id);
    if (add == nullptr || add->kind != dnnl_graph_op_add) return {};
    // The sum is computed by the primitive, which therefore cannot read it as gamma.
    const auto is_sum = [&](const logical_tensor_t &lt) { return lt.id == inputs[0].id; };
    if (std::count_if(inputs.begin(), inputs.end(), is_sum) > 1) return {};
    // Both operands have the shape of the sum: neither is broadcast.
    for (const logical_tensor_t &input : add->inputs)
        if (!may_have_same_shape(input, add->outputs[0])) return {};
    return {add};
}

status_t apply_residual_add(const fusion_t &fusion, request_t &request) {
    const op_t &add = *fusion.ops[0];
    auto &desc = request.desc.get<layer_normalization_desc_t>();
    const size_t sum = add.outputs[0].id;
    KILN_TRY(check_taken_directly(request, DNNL_ARG_SRC, add.outputs[0]));
    desc.sum = desc.src;
    KILN_TRY(request.read(DNNL_ARG_SRC, add.inputs[0], desc.src));
    KILN_TRY(request.read(DNNL_ARG_SRC_1, add.inputs[1], desc.src_1.edit()));
    KILN_REQUIRE(same_dims(desc.src, desc.sum) && same_dims(desc.src_1, desc.sum),
            dnnl_unimplemented, "graph", "%s: an operand of the residual addition is broadcast",
            add.name.c_str());
    if (request.program().is_output(sum))
        request.arguments[DNNL_ARG_DST_1] = request.program().value_of(sum);
    else
        desc.sum = zero_md;
    return dnnl_success;
}

// -- TypeCast or Dequantize -> normalization ------------------------------------------------------

ops_t match_conversion(const group_t &group, const edges_t &edges) {
    const op_t &norm = *group.anchor;
    const op_t *const op = edges.producer(norm.inputs[0].id);
    if (op == nullptr || only_consumer(edges, norm.inputs[0].id) != &norm) return {};
    if (op->kind == dnnl_graph_op_type_cast) return {op};
    if (op->kind != dnnl_graph_op_dequantize || is_per_channel(*op)) return {};
    // The primitive normalizes the integers: statistics would be theirs, and RMSNorm depends on the
    // zero point.
    const bool keeps_statistics =
            find_output(norm, "mean") >= 0 || find_output(norm, "variance") >= 0;
    const bool is_shifted = norm.kind == dnnl_graph_op_rms_norm && !zero_points_of(*op).empty();
    if (keeps_statistics || is_shifted || !(scales_of(*op)[0] > 0)) return {};
    return {op};
}

status_t apply_conversion(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    memory_desc_t src;
    KILN_TRY(check_taken_directly(request, DNNL_ARG_SRC, op.outputs[0]));
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], src));
    // (s x - mean(s x)) / sqrt(variance(s x) + epsilon) =
    //     (x - mean(x)) / sqrt(variance(x) + epsilon / s^2)
    const float scale = op.kind == dnnl_graph_op_dequantize ? scales_of(op)[0] : 1;
    const auto set = [&](auto &desc) {
        desc.src = src;
        desc.epsilon = static_cast<float>(desc.epsilon / (double(scale) * scale));
        return desc.epsilon;
    };
    auto *const layer = request.desc.get_if<layer_normalization_desc_t>();
    const float epsilon = layer ? set(*layer) : set(request.desc.get<group_normalization_desc_t>());
    KILN_REQUIRE(std::isnormal(epsilon), dnnl_unimplemented, "graph",
            "%s: the scale %g makes epsilon infinite or too small", op.name.c_str(), double(scale));
    return dnnl_success;
}

// -- ReLUBackward -> BatchNormTrainingBackward ----------------------------------------------------

ops_t match_relu_backward(const group_t &group, const edges_t &edges) {
    const size_t diff_dst = group.anchor->inputs[1].id;
    const op_t *const op = edges.producer(diff_dst);
    if (op == nullptr || op->kind != dnnl_graph_op_relu_backward) return {};
    return only_consumer(edges, diff_dst) == group.anchor ? ops_t{op} : ops_t();
}

status_t apply_relu_backward(const fusion_t &fusion, request_t &request) {
    // Src and dst of a ReLU are positive at the same elements, so either will do.
    const op_t &op = *fusion.ops[0];
    auto &desc = request.desc.get<batch_normalization_desc_t>();
    KILN_TRY(check_taken_directly(request, DNNL_ARG_DIFF_DST, op.outputs[0]));
    KILN_TRY(request.read(DNNL_ARG_DST, op.inputs[0], desc.relu_operand.edit()));
    KILN_TRY(request.read(DNNL_ARG_DIFF_DST, op.inputs[1], desc.diff_dst.edit()));
    return dnnl_success;
}

} // namespace kiln::graph
