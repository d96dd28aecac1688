// SPDX-License-Identifier: Apache-2.0
// Values of a graph's inputs, in ranges that suit the operations that read them.
#pragma once

#include <functional>

#include "common/tensor/tensor.hpp"
#include "graph/model/model.hpp"

namespace benchdnn::graph {

// tensor_of: the memory of an input of the graph. The same graph has the same values on every
// machine.
void fill(const graph_t &graph, const std::function<tensor_t &(size_t id)> &tensor_of);

} // namespace benchdnn::graph
