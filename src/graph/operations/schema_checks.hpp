// SPDX-License-Identifier: Apache-2.0
// What the table of schemas cannot express: checks of operations, each of which reports its reason
// and returns dnnl_invalid_graph_op, and the inputs that an operation skips.
#pragma once

#include "graph/schema/schema.hpp"

namespace kiln::graph {

/// The attribute is an axis of the first input. An unknown number of dims is not checked.
template <op_attr_t attr> status_t check_axis(const op_t &op);
/// The same for each axis of a list; none is repeated.
template <op_attr_t attr> status_t check_axes(const op_t &op);

/// gamma, beta and statistics are f32 or have the type of src.
status_t check_weight_types(const op_t &op);
/// The output is f32 or has the type of the first input.
status_t check_output_is_f32_or_like_input(const op_t &op);
/// The input or the output is f32, or both have the same type.
status_t check_types_are_alike_or_one_is_f32(const op_t &op);
/// src and dst differ in type, and one of them is f32.
status_t check_type_cast(const op_t &op);

/// keep_stats requires outputs for mean and variance.
status_t check_kept_statistics(const op_t &op);
/// gamma is an input if use_affine is set to true.
status_t check_affine(const op_t &op);
/// The inputs of LayerNormBackward have one meaning only, and gamma is among them if its gradient
/// or beta's is wanted.
status_t check_layer_norm_backward(const op_t &op);
/// LayerNormBackward skips mean and variance if it has three inputs (src, diff_dst, gamma), or four
/// and use_affine is set to true (src, diff_dst, gamma, beta).
skipped_inputs_t skipped_inputs_of_layer_norm_backward(const op_t &op);
/// Both diff_gamma and diff_beta are wanted, or neither.
status_t check_batch_norm_gradients(const op_t &op);

/// The numbers of scales and zero points fit qtype.
status_t check_quantization(const op_t &op);
status_t check_dynamic_quantization(const op_t &op);

/// min is at most max.
status_t check_clamp(const op_t &op);
/// There is a dilation for each dim of the kernel.
status_t check_dilations(const op_t &op);
/// Axes are an attribute or an input, not both.
status_t check_reduction(const op_t &op);
/// Either sizes or scales are given.
status_t check_interpolation(const op_t &op);

} // namespace kiln::graph
