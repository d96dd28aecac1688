// SPDX-License-Identifier: Apache-2.0
// Changes of a graph by the knobs: shapes, types, attributes, operations, and what follows from
// them.
#pragma once

#include <map>
#include <string>

#include "graph/model/model.hpp"

namespace benchdnn::graph {

// "ID:VALUE+ID:VALUE": the value of a knob for single tensors or operations.
struct by_id_t {
    std::string text;
    std::map<size_t, std::string> values;
};
by_id_t parse_by_id(const std::string &text);

// Types of single tensors, or one of all floating-point tensors except parameters.
struct types_t : by_id_t {
    dnnl_data_type_t all = dnnl_data_type_undef;
};
types_t parse_types(const std::string &text);

struct rewriting_t {
    by_id_t shapes, attributes, kinds, properties;
    types_t types;
    dim_t images = 0;   // 0: as in the file
    std::string fpmath; // MODE[:true]; "": as in the file
};

// bad_value_t for unknown ids and for contradictions.
void rewrite(graph_t &graph, const rewriting_t &rewriting);

} // namespace benchdnn::graph
