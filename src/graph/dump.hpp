// SPDX-License-Identifier: Apache-2.0
// Graphs and partitions as files, where ONEDNN_GRAPH_DUMP or the program asks for them.
#pragma once

#include <string>

#include "common/attributes/attr.hpp"
#include "graph/edges.hpp"

namespace kiln::graph {

bool is_dumped(dnnl_graph_dump_mode_t what);
/// Writes the operations to a file in the working directory, each with its partition's number where
/// these are given. A file that cannot be written is a warning, no error.
void dump_ops(const std::string &file, const std::vector<op_ptr_t> &ops, engine_kind_t engine_kind,
        const fpmath_t &fpmath, std::span<const size_t> partition_ids = {});

} // namespace kiln::graph
