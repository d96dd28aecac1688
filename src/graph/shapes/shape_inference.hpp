// SPDX-License-Identifier: Apache-2.0
// Shape inference: the shapes of an operation's outputs, from those of its inputs. Each family of
// operations has a function, which the table of schemas names.
#pragma once

#include <string>

#include "graph/schema/schema.hpp"

namespace kiln::graph {

using inputs_t = std::span<const logical_tensor_t>;
using outputs_t = std::span<logical_tensor_t>;

/// Infers the shapes of outputs. `inputs` are in the operation's order and have known shapes. What
/// is known of `outputs` is checked; the rest is set, with row-major strides if the layout is
/// strided. dnnl_invalid_shape if shapes contradict each other, dnnl_unimplemented if a shape
/// depends on the data of an input.
status_t infer_shapes(const op_t &op, inputs_t inputs, outputs_t outputs);

#define KILN_INFER(function) status_t function(const op_t &op, inputs_t inputs, outputs_t outputs)

// shape_elementwise.cpp
KILN_INFER(infer_nothing);        ///< the program knows the shapes of all outputs
KILN_INFER(infer_same_shape);     ///< every output has the shape of the first input
KILN_INFER(infer_gradient);       ///< the same; the first two inputs have equal shapes
KILN_INFER(infer_prelu_backward); ///< gradients have the shapes of src and slope
KILN_INFER(infer_broadcast);      ///< the first two inputs are broadcast to each other
KILN_INFER(infer_select);
KILN_INFER(infer_bias_add);
KILN_INFER(infer_bias_add_backward);
KILN_INFER(infer_quantization);
KILN_INFER(infer_dynamic_quantization);

// shape_normalization.cpp
KILN_INFER(infer_layer_norm); ///< and RMSNorm
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
KILN_INFER(infer_convolution_backward_weights); ///< and of transposed convolution
KILN_INFER(infer_conv_transpose);
KILN_INFER(infer_conv_transpose_backward_data);

#undef KILN_INFER

// ---- functions that several of these use

/// Returns dnnl_invalid_shape, with the kind of operation and a reason, unless `condition` holds.
#define KILN_REQUIRE_SHAPE(condition, format, ...)                                                 \
    KILN_REQUIRE(condition, dnnl_invalid_shape, "graph", "%s: " format,                            \
            name_of(op.kind) __VA_OPT__(, ) __VA_ARGS__)

/// Sets the shape of an output unless the output is absent. Known dims must agree with it.
status_t set_output_shape(const op_t &op, logical_tensor_t &output, const shape_t &shape);
/// Whether `from` can be broadcast to `to` by numpy's rules.
bool is_broadcastable(std::span<const dim_t> from, std::span<const dim_t> to);
/// The shape to which both are broadcast by numpy's rules; empty if they are incompatible.
std::optional<shape_t> broadcast(std::span<const dim_t> lhs, std::span<const dim_t> rhs);
/// "2x3", for messages; "scalar" without dims.
std::string to_string(std::span<const dim_t> shape);
inline std::string to_string(const logical_tensor_t &lt) { return to_string(dims_of(lt)); }

/// The shape of gamma or beta of a layer or RMS normalization, with as many dims as src. A weight
/// is broadcast to src by numpy's rules, or is a vector of all elements that are normalized
/// together: those of the dims from `axis` on. Empty if it is neither.
std::optional<shape_t> row_weight_shape(
        std::span<const dim_t> weight, std::span<const dim_t> src, int axis);
/// Refuses LayerNormBackward with four inputs and use_affine=true unless the shapes of the last two
/// show that they are gamma and beta, not mean and variance.
status_t check_layer_norm_form(const op_t &op, inputs_t inputs);
/// The end of a message about four inputs of LayerNormBackward that are read as statistics and were
/// perhaps meant as gamma and beta; empty for others.
const char *hint_of_form(const op_t &op);

/// The axes of src that the attribute order of a transposition lists, reversed if it is empty.
std::vector<int64_t> order_of_axes(const op_t &op, int ndims);

/// Whether the number of scales in the operation's attributes fits src. Unknown dims fit.
status_t check_quantization_scales(const op_t &op, const logical_tensor_t &src);
/// Whether scales and zero points that are inputs have the shapes that qtype requires. Unknown dims
/// fit.
status_t check_quantization_operands(const op_t &op, inputs_t inputs);

/// The axis of channels: 1 or the last, as data_format says.
inline int channel_axis(const op_t &op, int ndims) {
    return has_channels_second(op) ? 1 : ndims - 1;
}

} // namespace kiln::graph
