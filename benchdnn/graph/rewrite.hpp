// SPDX-License-Identifier: Apache-2.0
// A graph with other shapes, types, attributes or operations than its file has: what the knobs ask
// for, and what follows from it.
#pragma once

#include <map>
#include <string>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// "ID:VALUE+ID:VALUE": the value of a knob that speaks of tensors or operations one by one.
struct by_id_t {
    std::string text;
    std::map<size_t, std::string> values;
};
by_id_t parse_by_id(const std::string &text);

struct rewriting_t {
    by_id_t shapes, attributes, types, kinds, properties;
    dnnl_data_type_t type = dnnl_data_type_undef; // of all floating-point tensors but parameters
    dim_t images = 0;                             // 0: as the file has it
    std::string fpmath;                           // MODE[:true], "": likewise
};

// bad_value_t for ids there are not, and for what contradicts itself.
void rewrite(graph_t &graph, const rewriting_t &rewriting);

} // namespace benchdnn::graph
