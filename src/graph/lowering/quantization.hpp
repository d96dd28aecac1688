// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of quantization operations.
#pragma once

#include <vector>

#include "common/attributes/attr.hpp"
#include "common/status.hpp"
#include "graph/op/op.hpp"

namespace kiln::graph {

class request_t;

/// Whether there is a scale for each position along an axis, not one for the whole tensor.
bool is_per_channel(const op_t &op);
/// The axis of the scales; -1 for one scale of the whole tensor.
int scale_axis(const op_t &op, int ndims);
const std::vector<float> &scales_of(const op_t &op);
/// Empty if all are 0.
std::vector<int64_t> zero_points_of(const op_t &op);

/// Binds scales and zero points of a tensor, or of each position along an axis, which `mask` names,
/// as attributes of an argument of the primitive: from attributes or inputs of the operation.
status_t bind_scales(const op_t &op, int arg, int mask, request_t &request);
/// Whether scales and zero points are those of groups: tensors with the axes of the data.
bool has_groups(const op_t &op);
/// How a primitive reads scales or zero points of groups of `data`. Groups are of the last two
/// axes.
status_t find_groups(const op_t &op, const memory_desc_t &values, const memory_desc_t &data,
        quantization_t &quantization);

} // namespace kiln::graph
