// SPDX-License-Identifier: Apache-2.0
// The operation: a node of a graph, as the program describes it. schema/ checks it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "graph/op/logical_tensor.hpp"

namespace kiln::graph {

using op_t = dnnl_graph_op;
using op_ptr_t = std::shared_ptr<const op_t>;
using op_kind_t = dnnl_graph_op_kind_t;
using op_attr_t = dnnl_graph_op_attr_t;

/// The value of an attribute.
using attr_value_t =
        std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;

} // namespace kiln::graph

/// The C interface's opaque operation; a value that graphs and partitions copy.
struct dnnl_graph_op {
    size_t id;
    dnnl_graph_op_kind_t kind;
    std::string name;
    std::vector<kiln::graph::logical_tensor_t> inputs, outputs;
    /// The attributes that are set. In graphs and partitions they include the schema's defaults.
    std::map<dnnl_graph_op_attr_t, kiln::graph::attr_value_t> attributes;

    bool has_attr(dnnl_graph_op_attr_t attr_name) const { return attributes.contains(attr_name); }
    /// The value of an attribute that is set and has type T.
    template <typename T> const T &attr(dnnl_graph_op_attr_t attr_name) const {
        return std::get<T>(attributes.at(attr_name));
    }
};
