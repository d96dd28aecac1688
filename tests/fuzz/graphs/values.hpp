// SPDX-License-Identifier: Apache-2.0
// The tensors of a fuzzed graph: as operations declare them, and as compilation knows them.
#pragma once

#include <deque>

#include "graph/op/op.hpp"
#include "support/layouts.hpp"

namespace kiln::fuzz {

using logical_tensor_t = dnnl_graph_logical_tensor_t;

struct value_t {
    logical_tensor_t declared; ///< its shape may be unknown
    logical_tensor_t full;     ///< of a graph's input: with dims and strides
    dims_t dims;               ///< believed; an operation may be refused for them
    bool is_input = false;
    bool has_dims = false;
};

class values_t {
public:
    explicit values_t(input_t &input)
        : input_(input) {}

    /// An earlier tensor of this type and shape, or a new input of the graph.
    const value_t &operand(dnnl_data_type_t type, const dims_t &dims);
    /// A tensor of this type that an operation may start from: an earlier one, mostly the last, or
    /// a new input.
    const value_t &source(dnnl_data_type_t type);
    /// An output of an operation; null dims are not known.
    const value_t &result(dnnl_data_type_t type, const dims_t *dims);

    const std::deque<value_t> &all() const { return values_; }

private:
    const value_t &new_input(dnnl_data_type_t type, const dims_t &dims);

    input_t &input_;
    std::deque<value_t> values_; // references stay valid
};

/// Every enumerator and field may be wrong.
void damage(input_t &input, logical_tensor_t &lt);

} // namespace kiln::fuzz
