// SPDX-License-Identifier: Apache-2.0
// The opaque partition and compiled partition of the C interface.
#pragma once

#include "graph/partition/compilation.hpp"

struct dnnl_graph_partition {
    kiln::graph::partition_ptr_t body;
};

/// `compilation` is null until the partition is compiled.
struct dnnl_graph_compiled_partition {
    kiln::graph::partition_ptr_t partition;
    std::shared_ptr<const kiln::graph::compilation_t> compilation{};
};
