// SPDX-License-Identifier: Apache-2.0
// Compiling a partition: shapes, layouts and the program.
#pragma once

#include "graph/lowering/program.hpp"
#include "graph/partition/partition.hpp"

namespace kiln::graph {

/// A partition compiled for given shapes and layouts. Immutable; handles share it.
struct compilation_t {
    partition_ptr_t partition;
    engine_ref_t engine;
    std::vector<logical_tensor_t> inputs{}, outputs{}; ///< in the order of execution's arguments
    std::vector<size_t> input_bytes{}, output_bytes{}; ///< smallest sizes of their buffers
    std::shared_ptr<const program_t> program{};
    bool is_fused = false; ///< false: each operation runs as a primitive of its own
    std::vector<dnnl_graph_inplace_pair_t> inplace_pairs{};
};

/// dnnl_invalid_arguments if a tensor is missing or its shape or layout unknown, dnnl_invalid_shape
/// if shapes contradict each other, dnnl_unimplemented if no primitive supports them.
status_t compile(const partition_ptr_t &partition, std::span<const logical_tensor_t> inputs,
        std::span<const logical_tensor_t> outputs, engine_t *engine,
        std::shared_ptr<const compilation_t> &compilation);

} // namespace kiln::graph
