// SPDX-License-Identifier: Apache-2.0
// Executing a compilation with the program's tensors.
#pragma once

#include "graph/memory/tensor.hpp"
#include "graph/partition/compilation.hpp"

namespace kiln::graph {

/// Tensors are matched with the compilation's by id, fastest if they come in its order.
/// `scratchpad` may be null: the library allocates one then.
status_t execute(const compilation_t &compilation, std::span<const dnnl_graph_tensor *const> inputs,
        std::span<const dnnl_graph_tensor *const> outputs, const dnnl_graph_tensor *scratchpad);

/// Bytes that the program's scratchpad must have, with any alignment.
size_t user_scratchpad_bytes(const compilation_t &compilation);

} // namespace kiln::graph
