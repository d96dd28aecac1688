// SPDX-License-Identifier: Apache-2.0
// Rules for operations after a normalization, a softmax, a product or an elementwise operation:
// post-ops of its primitive.
#include <algorithm>

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/eltwise_algs.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// A match of one operation, or none.
ops_t match_of(const op_t *op, bool is_match = true) {
    return op && is_match ? ops_t{op} : ops_t();
}

bool keeps_shape(const op_t &op, size_t input) {
    for (const logical_tensor_t &lt : op.inputs)
        if (lt.id == input) return may_have_same_shape(lt, op.outputs[0]);
    return false;
}

/// The operand that is not the request's result.
const logical_tensor_t &operand_of(const op_t &op, const request_t &request) {
    return *other_input(op, request.result_tensor());
}

} // namespace

// -- Elementwise ----------------------------------------------------------------------------------

ops_t match_eltwise(const group_t &group, const edges_t &edges) {
    const op_t *const op = only_consumer(edges, group.result);
    return match_of(op, op && op->inputs.size() == 1 && eltwise_of(*op));
}

status_t apply_eltwise(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    KILN_TRY(request.add_eltwise(*eltwise_of(op)));
    return request.set_result(op.outputs[0]);
}

// -- x * sigmoid(x) -------------------------------------------------------------------------------

ops_t match_silu(const group_t &group, const edges_t &edges) {
    const auto consumers = edges.consumers(group.result);
    if (consumers.size() != 2) return {};
    const bool first_is_sigmoid = consumers[0].op->kind == dnnl_graph_op_sigmoid;
    const op_t *const sigmoid = consumers[first_is_sigmoid ? 0 : 1].op;
    const op_t *const multiply = consumers[first_is_sigmoid ? 1 : 0].op;
    if (sigmoid->kind != dnnl_graph_op_sigmoid || multiply->kind != dnnl_graph_op_multiply)
        return {};
    if (only_consumer(edges, sigmoid->outputs[0].id) != multiply) return {};
    return {sigmoid, multiply};
}

status_t apply_silu(const fusion_t &fusion, request_t &request) {
    KILN_TRY(request.add_eltwise(dnnl_eltwise_swish, 1, 0));
    return request.set_result(fusion.ops.back()->outputs[0]);
}

// -- Binary ---------------------------------------------------------------------------------------

bool is_binary_of(const op_t &op, size_t result) {
    const alg_kind_t alg = binary_alg_of(op.kind);
    if (alg == dnnl_alg_kind_undef || op.kind == dnnl_graph_op_greater_equal) return false;
    if (other_input(op, result) == nullptr) return false;
    return (commutes(alg) || op.inputs[0].id == result) && keeps_shape(op, result);
}

ops_t match_binary(const group_t &group, const edges_t &edges) {
    const op_t *const op = only_consumer(edges, group.result);
    return match_of(op, op && is_binary_of(*op, group.result));
}

status_t apply_binary(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    KILN_TRY(request.add_binary(binary_alg_of(op.kind), operand_of(op, request)));
    if (op.kind == dnnl_graph_op_squared_difference)
        KILN_TRY(request.add_eltwise(dnnl_eltwise_square, 0, 0));
    return request.set_result(op.outputs[0]);
}

namespace {

/// Which of the values of a Select the tensor is.
size_t source_of_select(const op_t &select, size_t tensor) {
    return select.inputs[if_true].id == tensor ? if_true : if_false;
}

} // namespace

ops_t match_select(const group_t &group, const edges_t &edges) {
    const op_t *const op = next_of_kind(group, edges, dnnl_graph_op_select);
    if (op == nullptr) return {};
    const auto uses = std::ranges::count_if(
            op->inputs, [&](const logical_tensor_t &input) { return input.id == group.result; });
    const bool is_value = op->inputs[condition].id != group.result;
    return match_of(op, uses == 1 && is_value && keeps_shape(*op, group.result));
}

status_t apply_select(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    KILN_TRY(request.add_select(op, source_of_select(op, request.result_tensor())));
    return request.set_result(op.outputs[0]);
}

ops_t match_gradient_add(const group_t &group, const edges_t &edges) {
    const op_t *const op = next_of_kind(group, edges, dnnl_graph_op_add);
    return match_of(op, op && is_binary_of(*op, group.result));
}

ops_t match_bias_add(const group_t &group, const edges_t &edges) {
    const op_t *const op = next_of_kind(group, edges, dnnl_graph_op_bias_add);
    return match_of(op, op && op->inputs[0].id == group.result && other_input(*op, group.result));
}

status_t apply_bias_add(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    KILN_TRY(request.add_bias(op));
    return request.set_result(op.outputs[0]);
}

// -- Add -> ReLU after BatchNormInference ---------------------------------------------------------

ops_t match_add_relu(const group_t &group, const edges_t &edges) {
    const op_t *const add = next_of_kind(group, edges, dnnl_graph_op_add);
    if (!group.fusions.empty() || add == nullptr || !is_binary_of(*add, group.result)) return {};
    const op_t *const relu = only_consumer(edges, add->outputs[0].id);
    if (relu == nullptr || relu->kind != dnnl_graph_op_relu) return {};
    for (const logical_tensor_t &input : add->inputs)
        if (!may_have_same_shape(input, add->outputs[0])) return {};
    return {add, relu};
}

status_t apply_add_relu(const fusion_t &fusion, request_t &request) {
    const op_t &add = *fusion.ops[0];
    auto &desc = request.desc.get<batch_normalization_desc_t>();
    memory_desc_t operand;
    KILN_TRY(request.read(DNNL_ARG_SRC_1, operand_of(add, request), operand));
    KILN_TRY(request.set_result(fusion.ops[1]->outputs[0]));
    KILN_REQUIRE(operand == desc.dst, dnnl_unimplemented, "graph",
            "%s: the operand and dst of the primitive must have the same layout", add.name.c_str());
    request.fix_result();
    desc.flags |= dnnl_fuse_norm_add_relu;
    return dnnl_success;
}

// -- Data types and layouts -----------------------------------------------------------------------

ops_t match_type_cast(const group_t &group, const edges_t &edges) {
    return match_of(next_of_kind(group, edges, dnnl_graph_op_type_cast));
}

ops_t match_reorder(const group_t &group, const edges_t &edges) {
    return match_of(next_of_kind(group, edges, dnnl_graph_op_reorder));
}

status_t apply_conversion_of_result(const fusion_t &fusion, request_t &request) {
    return request.set_result(fusion.ops[0]->outputs[0]);
}

ops_t match_quantize(const group_t &group, const edges_t &edges) {
    return match_of(next_of_kind(group, edges, dnnl_graph_op_quantize));
}

status_t apply_quantize(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    const int axis = scale_axis(op, request.tensor(op.inputs[0]).ndims);
    const auto points = zero_points_of(op);
    if (axis < 0 && points.empty()) {
        request.attr.scales[DNNL_ARG_DST] = {};
        request.arguments[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] =
                request.program().literal(scales_of(op));
    } else {
        KILN_TRY(request.add_binary(dnnl_binary_div, scales_of(op), axis));
        if (!points.empty())
            KILN_TRY(request.add_binary(
                    dnnl_binary_add, std::vector<float>(points.begin(), points.end()), axis));
    }
    return request.set_result(op.outputs[0]);
}

} // namespace kiln::graph
