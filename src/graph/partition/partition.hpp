// SPDX-License-Identifier: Apache-2.0
// The partition: operations that are compiled together, and the tensors at its borders.
#pragma once

#include <optional>

#include "common/attributes/attr.hpp"
#include "graph/fusion/group.hpp"

namespace kiln::graph {

/// Immutable; handles and compiled partitions share it.
struct partition_t {
    size_t id; ///< unique within the process
    engine_kind_t engine_kind;
    fpmath_t fpmath;
    std::vector<op_ptr_t> ops; ///< in an execution order
    std::vector<logical_tensor_t> inputs, outputs;
    std::optional<group_t> group; ///< how the operations are fused; empty: not supported
};
using partition_ptr_t = std::shared_ptr<const partition_t>;

} // namespace kiln::graph
