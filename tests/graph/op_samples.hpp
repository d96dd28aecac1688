// SPDX-License-Identifier: Apache-2.0
// Samples of valid operations: each kind in its smallest and its largest form.
#pragma once

#include <vector>

#include "graph/op/op.hpp"

namespace kiln::test {

/// A logical tensor of unknown shape.
graph::logical_tensor_t tensor(dnnl_data_type_t data_type);
/// A logical tensor of a shape, which may have unknown dims; strided, with no strides yet.
graph::logical_tensor_t tensor(dnnl_data_type_t data_type, const graph::shape_t &shape);
/// An output that is not wanted.
graph::logical_tensor_t absent();

using attributes_t = std::map<dnnl_graph_op_attr_t, graph::attr_value_t>;
using tensors_t = std::vector<graph::logical_tensor_t>;

/// An operation whose tensors have ids 0, 1, ...
graph::op_t make_op(dnnl_graph_op_kind_t kind, const tensors_t &inputs, const tensors_t &outputs,
        const attributes_t &attributes = {});

/// Every kind with as few inputs, outputs and attributes as it may have.
const std::vector<graph::op_t> &smallest_forms();
/// Every kind with as many as it may have, in the order of `smallest_forms`.
const std::vector<graph::op_t> &largest_forms();

} // namespace kiln::test
