// SPDX-License-Identifier: Apache-2.0
// Compilations as the text of verbose lines, in oneDNN's notation.
#pragma once

#include <string>

#include "graph/partition/compilation.hpp"

namespace kiln::graph {

/// "cpu,PARTITION,KIND,OPERATIONS,FORMATS,TENSORS,fpm:MODE,scratchpad:BYTES,PROGRAM,BACKEND"
std::string describe(const compilation_t &compilation);

/// Writes the line of a finished event: `graph,EVENT,DESCRIPTION,MILLISECONDS`.
void print_graph_profile(
        const char *event, const compilation_t &compilation, double begin_ms, double end_ms);

} // namespace kiln::graph
