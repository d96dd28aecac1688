// SPDX-License-Identifier: Apache-2.0
// Who makes and who uses each tensor of a graph.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/op/op.hpp"

namespace kiln::graph {

using op_ptr_t = std::shared_ptr<const op_t>;

/// A tensor as an operation's input.
struct use_t {
    const op_t *op;
    size_t input;
};

class edges_t {
public:
    edges_t() = default;
    explicit edges_t(std::span<const op_ptr_t> ops);

    /// The operation whose output the tensor is; null for an input of the graph.
    const op_t *producer(size_t tensor) const;
    /// Every input it is; an operation that takes it twice stands there twice.
    std::span<const use_t> uses(size_t tensor) const;

private:
    std::unordered_map<size_t, const op_t *> producers_;
    std::unordered_map<size_t, std::vector<use_t>> uses_;
};

/// The operations in an order in which they can be executed: as they are given, but for those that
/// have to wait for others. Shorter than `ops` where there is a cycle.
std::vector<op_ptr_t> execution_order(std::span<const op_ptr_t> ops, const edges_t &edges);

} // namespace kiln::graph
