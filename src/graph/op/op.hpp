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

using attr_variant_t =
        std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;

/// The value of an attribute. A copy is made outside of the variant and moved into it, because in
/// libstdc++ 12 a variant of these types is destroyed with an invalid index if its copy constructor
/// throws.
struct attr_value_t : attr_variant_t {
    using attr_variant_t::attr_variant_t;
    attr_value_t(const attr_value_t &other)
        : attr_variant_t(
                std::visit([]<typename T>(const T &value) -> attr_variant_t { return T(value); },
                        static_cast<const attr_variant_t &>(other))) {}
    attr_value_t(attr_value_t &&other) = default;
    attr_value_t &operator=(const attr_value_t &other) { return *this = attr_value_t(other); }
    attr_value_t &operator=(attr_value_t &&other) = default;
};

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
