// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/operations.hpp"

#include <algorithm>

#include "common/memory/type_set.hpp"
#include "graph/lowering/eltwise_algs.hpp"

namespace kiln::graph {
namespace {

using lower_t = status_t (*)(const op_t &op, request_t &request);

struct row_t {
    op_kinds_t kinds;
    lower_t lower;
    bool is_first_anchor = false;
};

std::span<const row_t> rows() {
    static const row_t table[] = {
            {{dnnl_graph_op_layer_norm, dnnl_graph_op_rms_norm}, lower_row_norm, true},
            {{dnnl_graph_op_layer_norm_backward}, lower_row_norm_backward, true},
            {{dnnl_graph_op_group_norm}, lower_group_norm, true},
            {{dnnl_graph_op_batch_norm_inference}, lower_batch_norm_inference, true},
            {{dnnl_graph_op_batch_norm_forward_training}, lower_batch_norm_training, true},
            {{dnnl_graph_op_batch_norm_backward}, lower_batch_norm_backward, true},
            {{dnnl_graph_op_bias_add}, lower_bias_add},
            {op_kinds_t{dnnl_graph_op_greater_equal} | binary_kinds(), lower_binary},
            {{dnnl_graph_op_select}, lower_select},
            {{dnnl_graph_op_type_cast, dnnl_graph_op_reorder}, lower_copy},
            {{dnnl_graph_op_concat}, lower_concat, true},
            {{dnnl_graph_op_static_reshape}, lower_reshape},
            {{dnnl_graph_op_static_transpose}, lower_transpose},
            {{dnnl_graph_op_quantize}, lower_quantize},
            {{dnnl_graph_op_dequantize}, lower_dequantize},
            {{dnnl_graph_op_dynamic_quantize}, lower_dynamic_quantize},
            {{dnnl_graph_op_dynamic_dequantize}, lower_dynamic_dequantize},
            {{dnnl_graph_op_end}, lower_end},
            {eltwise_kinds(), lower_eltwise},
            {eltwise_backward_kinds(), lower_eltwise_backward},
            {reduction_kinds(), lower_reduction},
            {{dnnl_graph_op_softmax, dnnl_graph_op_log_softmax}, lower_softmax, true},
            {{dnnl_graph_op_softmax_backward, dnnl_graph_op_log_softmax_backward},
                    lower_softmax_backward},
            {{dnnl_graph_op_matmul}, lower_matmul, true},
            {{dnnl_graph_op_prelu}, lower_prelu},
            {{dnnl_graph_op_prelu_backward}, lower_prelu_backward},
    };
    return table;
}

/// The row of a kind; null if the library cannot execute it.
const row_t *find(op_kind_t kind) {
    const auto at = std::ranges::find_if(
            rows(), [&](const row_t &row) { return row.kinds.contains(kind); });
    return at == rows().end() ? nullptr : &*at;
}

bool is_supported(data_type_t type) {
    return contains(
            float_types | f8_types | int8_types | int4_types | type_set({dnnl_boolean}), type);
}

/// s32 is supported for zero points only, since arithmetic is in f32.
bool is_supported(const op_t &op, size_t input) {
    const bool is_zero_point = input == 2
                               && (op.kind == dnnl_graph_op_dynamic_quantize
                                       || op.kind == dnnl_graph_op_dynamic_dequantize);
    const data_type_t type = op.inputs[input].data_type;
    return is_supported(type) || (type == dnnl_s32 && is_zero_point);
}

} // namespace

bool is_supported(const op_t &op) {
    if (find(op.kind) == nullptr) return false;
    for (size_t i = 0; i < op.inputs.size(); ++i)
        if (!is_supported(op, i)) return false;
    return std::all_of(op.outputs.begin(), op.outputs.end(),
            [](const logical_tensor_t &lt) { return is_absent(lt) || is_supported(lt.data_type); });
}

bool is_first_anchor(op_kind_t kind) {
    const row_t *const row = find(kind);
    return row && row->is_first_anchor;
}

status_t lower(const op_t &op, request_t &request) {
    request.anchor = &op;
    return find(op.kind)->lower(op, request);
}

} // namespace kiln::graph
