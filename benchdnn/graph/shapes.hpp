// SPDX-License-Identifier: Apache-2.0
// Shapes of an operation's outputs, by the driver's own rules.
#pragma once

#include <set>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// Sets dims (and dense strides) of the operation's outputs. bad_value_t where inputs contradict
// each other.
using infer_t = void (*)(graph_t &graph, const op_t &op);

void infer_same(graph_t &graph, const op_t &op); // as the first input
void infer_broadcast(graph_t &graph, const op_t &op);
void infer_reduction(graph_t &graph, const op_t &op);
void infer_reshape(graph_t &graph, const op_t &op);
void infer_transpose(graph_t &graph, const op_t &op);
void infer_layer_norm(graph_t &graph, const op_t &op);
void infer_layer_norm_backward(graph_t &graph, const op_t &op);
void infer_group_norm(graph_t &graph, const op_t &op);
void infer_batch_norm(graph_t &graph, const op_t &op); // all three

// Of all operations, unless there is one whose shapes the driver does not know; ops must be in
// order. An output of the same dims as a first input that a knob laid out anew follows it; laid_out
// are the ids of such tensors.
void infer_shapes(graph_t &graph, std::set<size_t> laid_out);

} // namespace benchdnn::graph
