// SPDX-License-Identifier: Apache-2.0
// Reads graphs from JSON files in the format of ONEDNN_GRAPH_DUMP.
#pragma once

#include <string>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// Throws bad_value_t with the place where the text is wrong.
graph_t parse_graph(const std::string &json);
graph_t read_graph(const std::string &path);

} // namespace benchdnn::graph
