// SPDX-License-Identifier: Apache-2.0
// Dumps: graphs and partitions as files, if ONEDNN_GRAPH_DUMP or the program asks for them.
#pragma once

#include <string>

#include "common/attributes/attr.hpp"
#include "graph/op/edges.hpp"

namespace kiln::graph {

bool is_dumped(dnnl_graph_dump_mode_t what);
/// False, and nothing is changed, if `modes` has unknown bits.
bool set_dump_modes(unsigned modes);
/// Writes the operations to a file in the working directory, each with its partition's id if
/// `partition_ids` are given. A file that cannot be written is a warning, not an error.
void dump_ops(const std::string &file, const std::vector<op_ptr_t> &ops, engine_kind_t engine_kind,
        const fpmath_t &fpmath, std::span<const size_t> partition_ids = {});

} // namespace kiln::graph
