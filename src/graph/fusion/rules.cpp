// SPDX-License-Identifier: Apache-2.0
// The table of fusion rules. Each row has a test in tests/graph/fusion/ and a benchmark in
// benchdnn/inputs/graph.

#include <array>

#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/eltwise_algs.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

auto make_rules() {
    const op_kinds_t row_norms{dnnl_graph_op_layer_norm, dnnl_graph_op_rms_norm};
    const op_kinds_t norms = row_norms | op_kinds_t{dnnl_graph_op_group_norm};
    const op_kinds_t inference{dnnl_graph_op_batch_norm_inference};
    const op_kinds_t batch_norms =
            inference | op_kinds_t{dnnl_graph_op_batch_norm_forward_training};
    const op_kinds_t backward_batch_norm{dnnl_graph_op_batch_norm_backward};
    const op_kinds_t backward_row_norm{dnnl_graph_op_layer_norm_backward};
    const op_kinds_t moves{dnnl_graph_op_static_reshape, dnnl_graph_op_static_transpose};
    const op_kinds_t pointwise =
            moves | eltwise_kinds() | binary_kinds()
            | op_kinds_t{dnnl_graph_op_type_cast, dnnl_graph_op_dequantize, dnnl_graph_op_reorder};
    const op_kinds_t softmax{dnnl_graph_op_softmax, dnnl_graph_op_log_softmax};
    const op_kinds_t matmul{dnnl_graph_op_matmul};
    const op_kinds_t any_other = pointwise | matmul | reduction_kinds();
    using enum side_t;
    return std::to_array<rule_t>({
            // Before the anchor.
            {"residual_add", before, row_norms, match_residual_add, apply_residual_add},
            {"conversion", before, norms, match_conversion, apply_conversion},
            {"relu_backward", before, backward_batch_norm, match_relu_backward,
                    apply_relu_backward},
            {"pre_ops", before, softmax, match_pre_ops, apply_pre_ops},
            {"dequantized_operands", before, matmul, match_dequantized_operands,
                    apply_dequantized_operands},
            {"dequantized_weights", before, matmul, match_dequantized_weights,
                    apply_dequantized_weights},
            // After it, longest first.
            {"quantized_concat", after_last, op_kinds_t{dnnl_graph_op_concat},
                    match_quantized_concat, apply_quantized_concat},
            {"dynamic_quantize", after_last, row_norms, match_dynamic_quantize,
                    apply_dynamic_quantize},
            {"add_relu", after, inference, match_add_relu, apply_add_relu},
            {"transpose", after, moves, match_transpose, apply_transpose},
            {"reshape", after_last, moves, match_reshape, apply_reshape},
            {"silu", after, norms | batch_norms | any_other, match_silu, apply_silu},
            {"eltwise", after, norms | batch_norms | softmax | any_other, match_eltwise,
                    apply_eltwise},
            {"dequantized_operand", after, norms | softmax | any_other, match_dequantized_operand,
                    apply_dequantized_operand},
            {"binary", after, norms | softmax | any_other, match_binary, apply_binary},
            {"select", after, norms | softmax | any_other, match_select, apply_select},
            {"bias_add", after, matmul, match_bias_add, apply_bias_add},
            {"gradient_add", after_last, backward_row_norm, match_gradient_add, apply_binary},
            {"type_cast", after, norms | softmax | any_other, match_type_cast,
                    apply_conversion_of_result},
            {"reorder", after, pointwise, match_reorder, apply_conversion_of_result},
            {"quantize", after_last, norms | softmax | any_other, match_quantize, apply_quantize},
    });
}

} // namespace

std::span<const rule_t> fusion_rules() {
    static const auto rules = make_rules();
    return rules;
}

const op_t *only_consumer(const edges_t &edges, size_t tensor) {
    const auto consumers = edges.consumers(tensor);
    return consumers.size() == 1 ? consumers[0].op : nullptr;
}

const op_t *next_of_kind(const group_t &group, const edges_t &edges, op_kind_t kind) {
    const op_t *const op = only_consumer(edges, group.result);
    return op && op->kind == kind ? op : nullptr;
}

bool may_have_same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs) {
    return !has_known_shape(lhs) || !has_known_shape(rhs) || same_shape(lhs, rhs);
}

status_t check_taken_directly(request_t &request, int arg, const logical_tensor_t &lt) {
    KILN_REQUIRE(request.arguments[arg] == request.program().value_of(lt.id), dnnl_unimplemented,
            "graph", "the layout of tensor %zu needs a copy, which fusion cannot make", lt.id);
    return dnnl_success;
}

const logical_tensor_t *other_input(const op_t &op, size_t tensor) {
    if (op.inputs[0].id == op.inputs[1].id) return nullptr;
    return &op.inputs[op.inputs[0].id == tensor ? 1 : 0];
}

} // namespace kiln::graph
