// SPDX-License-Identifier: Apache-2.0
// Lowering: how each supported operation becomes a primitive. The table is operations.cpp.
#pragma once

#include "graph/lowering/request.hpp"
#include "graph/op/op_kinds.hpp"

namespace kiln::graph {

/// Whether the library can execute the operation. Compilation may still refuse its shapes and
/// layouts.
bool is_supported(const op_t &op);
/// Whether groups grow around it first: normalizations and concatenations, which operations before
/// them join.
bool is_first_anchor(op_kind_t kind);

/// Describes the operation's primitive, and adds the steps that must run before it.
status_t lower(const op_t &op, request_t &request);

// The functions in the table, by file.
status_t lower_row_norm(const op_t &op, request_t &request);
status_t lower_row_norm_backward(const op_t &op, request_t &request);
status_t lower_group_norm(const op_t &op, request_t &request);
status_t lower_batch_norm_inference(const op_t &op, request_t &request);
status_t lower_batch_norm_training(const op_t &op, request_t &request);
status_t lower_batch_norm_backward(const op_t &op, request_t &request);

status_t lower_eltwise(const op_t &op, request_t &request);
status_t lower_eltwise_backward(const op_t &op, request_t &request);
status_t lower_binary(const op_t &op, request_t &request);
status_t lower_select(const op_t &op, request_t &request);
status_t lower_bias_add(const op_t &op, request_t &request);

status_t lower_quantize(const op_t &op, request_t &request);
status_t lower_dequantize(const op_t &op, request_t &request);
status_t lower_dynamic_quantize(const op_t &op, request_t &request);
status_t lower_dynamic_dequantize(const op_t &op, request_t &request);

op_kinds_t reduction_kinds();
status_t lower_reduction(const op_t &op, request_t &request);

status_t lower_softmax(const op_t &op, request_t &request);
status_t lower_softmax_backward(const op_t &op, request_t &request);

status_t lower_matmul(const op_t &op, request_t &request);
/// Reads an operand of MatMul as matrices: a tensor of one axis is a row of src or a column of
/// weights, others may be transposed. With the kind of an attribute (DNNL_ARG_ATTR_*), reads that
/// attribute of the operand, whose axes are the operand's.
status_t read_factor(const op_t &op, int arg, const logical_tensor_t &lt, request_t &request,
        memory_desc_t &md, int kind = 0);

status_t lower_prelu(const op_t &op, request_t &request);
status_t lower_prelu_backward(const op_t &op, request_t &request);

status_t lower_concat(const op_t &op, request_t &request);
status_t lower_copy(const op_t &op, request_t &request);
status_t lower_reshape(const op_t &op, request_t &request);
status_t lower_transpose(const op_t &op, request_t &request);
/// Gives the descriptor of src the order of axes of a StaticTranspose's dst.
status_t permute_for(const op_t &transpose, memory_desc_t &src);
status_t lower_end(const op_t &op, request_t &request);

} // namespace kiln::graph
