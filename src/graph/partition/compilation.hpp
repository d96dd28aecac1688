// SPDX-License-Identifier: Apache-2.0
// Compiling a partition: shapes, layouts, then a program.
#pragma once

#include "graph/lowering/program.hpp"
#include "graph/partition/partition.hpp"

namespace kiln::graph {

/// What a partition becomes for given shapes and layouts; shared by the handles.
struct compilation_t {
    std::shared_ptr<const partition_t> partition;
    engine_ref_t engine;
    // In the order in which executions pass them.
    std::vector<logical_tensor_t> inputs{}, outputs{};
    std::vector<size_t> input_bytes{}, output_bytes{}; ///< that their buffers must hold
    std::shared_ptr<const program_t> program{};
    bool is_fused = false; ///< else the operations run one by one
    std::vector<dnnl_graph_inplace_pair_t> inplace_pairs{};
};

/// dnnl_invalid_arguments where a tensor is missing or not known well enough, dnnl_invalid_shape
/// where shapes contradict each other, dnnl_unimplemented where no primitive takes them.
status_t compile(const std::shared_ptr<const partition_t> &partition,
        std::span<const logical_tensor_t> inputs, std::span<const logical_tensor_t> outputs,
        engine_t *engine, std::shared_ptr<const compilation_t> &compilation);

} // namespace kiln::graph
