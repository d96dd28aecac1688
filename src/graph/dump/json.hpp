// SPDX-License-Identifier: Apache-2.0
// Graphs as JSON text, in the format that oneDNN writes and benchdnn of both libraries reads.
#pragma once

#include <iosfwd>

#include "graph/op/op.hpp"

namespace kiln::graph {

/// The contents of a file about a graph or a partition.
struct graph_view_t {
    engine_kind_t engine_kind = dnnl_cpu;
    dnnl_fpmath_mode_t fpmath_mode = dnnl_fpmath_mode_strict;
    bool applies_fpmath_to_int = false;
    std::vector<size_t> input_ports;  ///< ids of tensors that no operation produces
    std::vector<size_t> output_ports; ///< ids of tensors that no operation consumes
    std::span<const op_t> ops;
    std::span<const size_t> partition_ids{}; ///< of the operations, in their order; may be empty
};

/// Writes one JSON object and a newline. oneDNN's names for such files are graph-ID.json for a
/// graph, graph-ID-partitioning.json for one with partition ids, and graph-ID-HASH.json for a
/// partition with the shapes that it is compiled for.
void write_json(std::ostream &stream, const graph_view_t &graph);

} // namespace kiln::graph
