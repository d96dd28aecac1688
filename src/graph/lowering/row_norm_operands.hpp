// SPDX-License-Identifier: Apache-2.0
// What the layer normalizations of graphs have in common, forward and backward: the view of rows,
// statistics, gamma and beta.
#pragma once

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "graph/lowering/operations.hpp"

namespace kiln::graph {

/// The first normalized axis of src.
int norm_axis(const op_t &op, int ndims);
/// The view in which the normalized axes of src are one axis.
view_t rows_view(const op_t &op, const request_t &request);
/// A descriptor with the operation's epsilon and flags.
layer_normalization_desc_t row_norm_desc(const op_t &op);

/// The dense descriptor of statistics that no tensor of the graph has. `src` is in the view.
memory_desc_t dense_statistics(const memory_desc_t &src, data_type_t type);
/// Binds mean and variance, which share a descriptor: that of the first one; the other is copied if
/// its layout differs. `desc.stat` is the zero descriptor if the operation has neither.
status_t bind_statistics(
        const op_t &op, request_t &request, layer_normalization_desc_t &desc, bool are_outputs);

/// Gamma or beta: a tensor with as many axes as src, to which it is broadcast.
struct weight_t {
    value_t value;
    memory_desc_t md;
};
/// Whether the weight is the same for all rows.
bool is_same_for_rows(const shape_t &weight, int axis);
/// The shape of a weight that is a vector along the normalized axes.
shape_t row_shape(const logical_tensor_t &src, int axis);

status_t read_weight(request_t &request, const logical_tensor_t &lt, const logical_tensor_t &src,
        int axis, weight_t &weight);
/// Replaces the weight by a dense copy that is broadcast to `shape`, unless it has that shape.
status_t expand_weight(request_t &request, const shape_t &shape, weight_t &weight);
/// Prepares the weight for a binary post-op: expands it along the normalized axes, unless it has
/// one element for each row, and copies it if its layout does not allow the view.
status_t fit_weight_to_view(
        request_t &request, const logical_tensor_t &src, int axis, weight_t &weight);
/// Binds scale, shift or one of their gradients: a dense vector, or a dense copy of it.
status_t bind_weight(
        request_t &request, int arg, const weight_t &weight, dim_t cols, bool is_output = false);

} // namespace kiln::graph
