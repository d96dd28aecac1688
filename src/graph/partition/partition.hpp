// SPDX-License-Identifier: Apache-2.0
// The partition: operations that are compiled together, and the tensors that go in and out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/attributes/attr.hpp"
#include "graph/fusion/group.hpp"

namespace kiln::graph {

/// Immutable; handles and compiled partitions share it.
struct partition_t {
    size_t id; ///< unique within the process
    engine_kind_t engine_kind;
    fpmath_t fpmath;
    std::vector<op_ptr_t> ops; ///< in an order of execution
    std::vector<logical_tensor_t> inputs, outputs;
    std::optional<group_t> group; ///< how they run; none: the library cannot execute them
};

} // namespace kiln::graph

/// The C interface's opaque partition.
struct dnnl_graph_partition {
    std::shared_ptr<const kiln::graph::partition_t> body;
};
