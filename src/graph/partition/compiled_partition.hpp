// SPDX-License-Identifier: Apache-2.0
// The compiled partition: a program, and how an execution's tensors reach it.
#pragma once

#include "common/primitive/stream.hpp"
#include "graph/op/tensor.hpp"
#include "graph/partition/compilation.hpp"

/// The C interface's opaque compiled partition: empty until its partition is compiled into it.
struct dnnl_graph_compiled_partition {
    std::shared_ptr<const kiln::graph::partition_t> partition;
    std::shared_ptr<const kiln::graph::compilation_t> compilation{};
};

namespace kiln::graph {

/// `scratchpad` is the caller's, or null. Tensors are matched by id, at once where they come in the
/// order of the compilation.
status_t execute(const compilation_t &compilation, std::span<const dnnl_graph_tensor *const> inputs,
        std::span<const dnnl_graph_tensor *const> outputs, const dnnl_graph_tensor *scratchpad);

} // namespace kiln::graph
