// SPDX-License-Identifier: Apache-2.0
// What a table of inputs, outputs, types and attributes cannot say of an operation. Each check
// prints its reason and answers dnnl_invalid_graph_op.
#pragma once

#include "graph/schema/schema.hpp"

namespace kiln::graph {

/// The attribute is an axis of the first input, where its number of dims is known.
template <op_attr_t attr> status_t check_axis(const op_t &op);
/// The same of each axis of a list, none of them named twice.
template <op_attr_t attr> status_t check_axes(const op_t &op);

/// gamma, beta and statistics are f32 or have the data's type.
status_t check_weight_types(const op_t &op);
/// The output is f32 or has the first input's type.
status_t check_output_is_f32_or_like_input(const op_t &op);
/// Input or output is f32, or both have one type.
status_t check_types_are_alike_or_one_is_f32(const op_t &op);
status_t check_type_cast(const op_t &op);

/// With statistics kept there are places for them.
status_t check_kept_statistics(const op_t &op);
/// With affine parameters their gradients have places, without there are none.
status_t check_layer_norm_gradients(const op_t &op);
/// diff_gamma and diff_beta, or neither.
status_t check_batch_norm_gradients(const op_t &op);

/// As many scales and zero points as qtype asks for.
status_t check_quantization(const op_t &op);
status_t check_dynamic_quantization(const op_t &op);

status_t check_clamp(const op_t &op);
status_t check_dilations(const op_t &op);
/// Axes come as an attribute or as an input.
status_t check_reduction(const op_t &op);
/// Sizes or scales, not both.
status_t check_interpolation(const op_t &op);

} // namespace kiln::graph
