// SPDX-License-Identifier: Apache-2.0
// The edges of a graph: the producer and the consumers of each tensor.
#pragma once

#include <unordered_map>

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

/// The operations in a topological order. Operations that depend on none of the others keep their
/// given order. The result is shorter than `ops` if there is a cycle.
std::vector<op_ptr_t> execution_order(std::span<const op_ptr_t> ops, const edges_t &edges);

} // namespace kiln::graph
