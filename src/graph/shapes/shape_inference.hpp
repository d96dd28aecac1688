// SPDX-License-Identifier: Apache-2.0
// Shapes of outputs from shapes of inputs, a function each family of operations; schemas name them.
// Inputs have known shapes.
#pragma once

#include <string>

#include "graph/schema/schema.hpp"

namespace kiln::graph {

#define KILN_INFER(function)                                                                       \
    status_t function(const op_t &op, std::span<const logical_tensor_t> inputs,                    \
            std::span<logical_tensor_t> outputs)

// shape_elementwise.cpp
KILN_INFER(infer_nothing);    ///< outputs are what they are
KILN_INFER(infer_same_shape); ///< every output like the first input
KILN_INFER(infer_gradient);   ///< the same, and the first two inputs are alike
KILN_INFER(infer_pairwise);   ///< each output like the input at its position
KILN_INFER(infer_broadcast);  ///< of the first two inputs
KILN_INFER(infer_select);
KILN_INFER(infer_bias_add);
KILN_INFER(infer_bias_add_backward);
KILN_INFER(infer_quantization);
KILN_INFER(infer_dynamic_quantization);

// shape_normalization.cpp
KILN_INFER(infer_layer_norm); ///< RMSNorm, too
KILN_INFER(infer_layer_norm_backward);
KILN_INFER(infer_group_norm);
KILN_INFER(infer_batch_norm); ///< inference, training and backward
KILN_INFER(infer_softmax);

// shape_rearrangement.cpp
KILN_INFER(infer_reduction);
KILN_INFER(infer_reshape);
KILN_INFER(infer_transpose);
KILN_INFER(infer_concat);
KILN_INFER(infer_interpolation);
KILN_INFER(infer_matmul);

// shape_window.cpp
KILN_INFER(infer_pooling);
KILN_INFER(infer_avg_pool_backward);
KILN_INFER(infer_convolution);
KILN_INFER(infer_convolution_backward_data);
KILN_INFER(infer_convolution_backward_weights); ///< of transposed convolution, too
KILN_INFER(infer_conv_transpose);
KILN_INFER(infer_conv_transpose_backward_data);

#undef KILN_INFER

// ---- what these functions share

/// Returns dnnl_invalid_shape, with the operation's kind and a reason, unless `condition` holds.
#define KILN_REQUIRE_SHAPE(condition, format, ...)                                                 \
    KILN_REQUIRE(condition, dnnl_invalid_shape, "graph", "%s: " format,                            \
            name_of(op.kind) __VA_OPT__(, ) __VA_ARGS__)

/// Gives an output its shape, unless it is absent; what is known of it already must agree.
status_t settle(const op_t &op, logical_tensor_t &output, const shape_t &shape);
/// Whether `from` can be broadcast to `to`, numpy's way.
bool is_broadcastable(std::span<const dim_t> from, std::span<const dim_t> to);
/// The shape both are broadcast to, numpy's way; nothing where they do not fit.
std::optional<shape_t> broadcast(std::span<const dim_t> lhs, std::span<const dim_t> rhs);
/// "2x3", for reasons.
std::string to_string(std::span<const dim_t> shape);

/// Whether the scales in the operation's attributes fit src, as far as its dims are known.
status_t check_quantization_scales(const op_t &op, const logical_tensor_t &src);
/// Whether scales and zero points given as inputs are as many as qtype asks for; unknown dims may
/// be anything.
status_t check_quantization_operands(const op_t &op, std::span<const logical_tensor_t> inputs);

/// An axis counted from the front; -1 if there is none of this number.
inline int axis_from_front(int64_t axis, int ndims) {
    if (axis < -ndims || axis >= ndims) return -1;
    return static_cast<int>(axis < 0 ? axis + ndims : axis);
}
/// Where channels are: behind the batch or at the end, as data_format says.
inline int channel_axis(const op_t &op, int ndims) {
    return op.attr<std::string>(dnnl_graph_op_attr_data_format) == "NCX" ? 1 : ndims - 1;
}

} // namespace kiln::graph
