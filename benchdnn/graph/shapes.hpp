// SPDX-License-Identifier: Apache-2.0
// Shape inference of the driver, independent of the library's.
#pragma once

#include <set>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// Sets dims (and dense strides) of the operation's outputs. bad_value_t if inputs contradict each
// other.
using infer_t = void (*)(graph_t &graph, const op_t &op);

void infer_same(graph_t &graph, const op_t &op);     // like the first input
void infer_pairwise(graph_t &graph, const op_t &op); // each output like the input of its number
void infer_broadcast(graph_t &graph, const op_t &op);
void infer_concat(graph_t &graph, const op_t &op);
void infer_reduction(graph_t &graph, const op_t &op);
void infer_softmax(graph_t &graph, const op_t &op);
void infer_matmul(graph_t &graph, const op_t &op);
void infer_reshape(graph_t &graph, const op_t &op);
void infer_transpose(graph_t &graph, const op_t &op);
void infer_layer_norm(graph_t &graph, const op_t &op);
void infer_layer_norm_backward(graph_t &graph, const op_t &op);
void infer_group_norm(graph_t &graph, const op_t &op);
void infer_batch_norm(graph_t &graph, const op_t &op); // all three kinds

// Infers the shapes of all operations unless the driver has no rule for one of them; ops must be in
// order. If a knob changed the layout of a first input, outputs of the same dims take its layout;
// laid_out are the ids of such inputs.
void infer_shapes(graph_t &graph, std::set<size_t> laid_out);

} // namespace benchdnn::graph
