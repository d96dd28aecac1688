// SPDX-License-Identifier: Apache-2.0
// Graphs out of JSON files as oneDNN's libraries write them (ONEDNN_GRAPH_DUMP) and its driver
// reads them.
#pragma once

#include <string>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// Throws bad_value_t that says where the text is not such a graph.
graph_t parse_graph(const std::string &json);
graph_t read_graph(const std::string &path);

} // namespace benchdnn::graph
