// SPDX-License-Identifier: Apache-2.0
// The operation: a node of a graph as the program describes it. Whether it makes sense, its schema
// says.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "graph/op/logical_tensor.hpp"

namespace kiln::graph {

using op_t = dnnl_graph_op;
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
    std::map<dnnl_graph_op_attr_t, kiln::graph::attr_value_t> attributes; ///< those that were set

    /// The value that was set, else the schema's default; null where there is neither.
    const kiln::graph::attr_value_t *find_attr(dnnl_graph_op_attr_t attr_name) const;
    bool has_attr(dnnl_graph_op_attr_t attr_name) const { return find_attr(attr_name) != nullptr; }
    /// The value, which is there and of type T (the schema was checked).
    template <typename T> const T &attr(dnnl_graph_op_attr_t attr_name) const {
        return std::get<T>(*find_attr(attr_name));
    }
};
