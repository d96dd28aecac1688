// SPDX-License-Identifier: Apache-2.0
// How each operation that can be executed becomes a primitive. The table is operations.cpp.
#pragma once

#include "graph/lowering/request.hpp"

namespace kiln::graph {

/// Whether the library can execute the operation; shapes and layouts may still be refused when it
/// is compiled.
bool is_executed(const op_t &op);
/// Whether it is a normalization, which others are fused to first.
bool is_norm(op_kind_t kind);

/// Describes the operation's primitive, and adds what has to be done in front of it.
status_t lower(const op_t &op, request_t &request);

// The parts of the table, by file.
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

std::vector<op_kind_t> reduction_kinds();
status_t lower_reduction(const op_t &op, request_t &request);

status_t lower_copy(const op_t &op, request_t &request);
status_t lower_reshape(const op_t &op, request_t &request);
status_t lower_transpose(const op_t &op, request_t &request);
status_t lower_end(const op_t &op, request_t &request);

} // namespace kiln::graph
