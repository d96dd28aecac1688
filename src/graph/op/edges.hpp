// SPDX-License-Identifier: Apache-2.0
// The edges of a graph: the producer and the consumers of each tensor.
#pragma once

#include <unordered_map>

#include "common/status.hpp"
#include "graph/op/op.hpp"

namespace kiln::graph {

/// An operation that reads a tensor, and the position of that input.
struct consumer_t {
    const op_t *op;
    size_t input;
};

class edges_t {
public:
    edges_t() = default;
    explicit edges_t(std::span<const op_ptr_t> ops);

    /// The operation that writes the tensor; null for an input of the graph.
    const op_t *producer(size_t tensor) const;
    /// The inputs that the tensor is; an operation that reads it twice is listed twice.
    std::span<const consumer_t> consumers(size_t tensor) const;

private:
    std::unordered_map<size_t, const op_t *> producers_;
    std::unordered_map<size_t, std::vector<consumer_t>> consumers_;
};

/// Sets `edges` to those of the operations, and sorts the operations in a topological order. Those
/// that depend on none of the others keep their given order. dnnl_invalid_graph, with a reason in
/// verbose mode, if tensors with one id differ, a tensor is an output twice, or there is a cycle.
status_t connect(std::vector<op_ptr_t> &ops, edges_t &edges);

} // namespace kiln::graph
