// SPDX-License-Identifier: Apache-2.0
// Graphs as JSON text, in the format that oneDNN writes and both libraries' benchdnn reads.
#pragma once

#include <iosfwd>

#include "graph/op/op.hpp"

namespace kiln::graph {

/// What a file says of a graph or of a partition.
struct graph_view_t {
    engine_kind_t engine_kind = dnnl_cpu;
    dnnl_fpmath_mode_t fpmath_mode = dnnl_fpmath_mode_strict;
    bool applies_fpmath_to_int = false;
    std::vector<size_t> input_ports;  ///< ids of tensors that come from outside
    std::vector<size_t> output_ports; ///< ids of tensors that go outside
    std::span<const op_t> ops;
    std::span<const size_t>
            partition_ids{}; ///< an operation's partition; none, or one an operation
};

/// Writes it as one JSON object and a newline. oneDNN's names for such files: graph-ID.json for a
/// graph, graph-ID-partitioning.json for one with partition ids, graph-ID-HASH.json for a partition
/// with the shapes of a compilation.
void write_json(std::ostream &stream, const graph_view_t &graph);

} // namespace kiln::graph
