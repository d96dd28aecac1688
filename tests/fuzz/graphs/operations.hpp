// SPDX-License-Identifier: Apache-2.0
// Adds operations to a graph: a sample of any kind, wired to earlier tensors, with attributes that
// fit its shapes or nearly so.
#pragma once

#include "graphs/values.hpp"
#include "support/expect.hpp"

namespace kiln::fuzz {

using graph_handle_t = test::handle_t<dnnl_graph_graph_t, dnnl_graph_graph_destroy>;
using op_handle_t = test::handle_t<dnnl_graph_op_t, dnnl_graph_op_destroy>;

class operations_t {
public:
    /// `is_wild`: operations may be damaged.
    operations_t(input_t &input, values_t &values, bool is_wild)
        : input_(input)
        , values_(values)
        , is_wild_(is_wild)
        , type_(input.pick({dnnl_f32, dnnl_bf16, dnnl_f16})) {}

    /// An operation, and whether its schema allows it.
    op_handle_t read(size_t id, verdict_t &verdict);

    /// So far there are only elementwise operations on tensors of one shape, which can be executed.
    bool are_simple() const { return are_simple_; }

private:
    using attributes_t = std::map<dnnl_graph_op_attr_t, graph::attr_value_t>;

    const graph::op_t &read_sample();
    dims_t operand_dims(dnnl_graph_op_kind_t kind, size_t position, const dims_t &src);
    dnnl_data_type_t type_of(const graph::op_t &sample, size_t position, dnnl_data_type_t type);
    void set_attributes(dnnl_graph_op_t op, const attributes_t &attributes, const dims_t &src);
    graph::attr_value_t read_value(
            dnnl_graph_op_attr_t name, const graph::attr_value_t &usual, const dims_t &src);
    void set(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const graph::attr_value_t &value);

    input_t &input_;
    values_t &values_;
    bool is_wild_;
    dnnl_data_type_t type_;
    bool are_simple_ = true;
    bool is_changed_ = false; ///< an attribute has another value than in the sample
};

} // namespace kiln::fuzz
