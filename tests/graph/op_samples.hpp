// SPDX-License-Identifier: Apache-2.0
// Operations that are in order, for tests to break: each kind in its least and in its fullest form.
#pragma once

#include <string>
#include <vector>

#include "graph/op/op.hpp"

namespace kiln::test {

/// A logical tensor of unknown shape.
graph::logical_tensor_t tensor(dnnl_data_type_t data_type);
/// A logical tensor of a shape, which may have unknown dims; strided, with no strides yet.
graph::logical_tensor_t tensor(dnnl_data_type_t data_type, const graph::shape_t &shape);
/// An output that nobody wants.
graph::logical_tensor_t absent();

using attributes_t = std::map<dnnl_graph_op_attr_t, graph::attr_value_t>;
using tensors_t = std::vector<graph::logical_tensor_t>;

/// An operation; its tensors get ids in turn.
graph::op_t make_op(dnnl_graph_op_kind_t kind, const tensors_t &inputs, const tensors_t &outputs,
        const attributes_t &attributes = {});

/// Every kind with as few inputs, outputs and attributes as it may have.
const std::vector<graph::op_t> &least_forms();
/// Every kind with as many as it may have, in the order of `least_forms`.
const std::vector<graph::op_t> &fullest_forms();

} // namespace kiln::test
