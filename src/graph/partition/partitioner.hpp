// SPDX-License-Identifier: Apache-2.0
// Dividing a graph into partitions.
#pragma once

#include "graph/partition/partition.hpp"

namespace kiln::graph {

/// Puts each operation into one partition, supported or not. `ops` are in an execution order; so
/// are the partitions.
std::vector<partition_ptr_t> partitions_of(const std::vector<op_ptr_t> &ops, const edges_t &edges,
        engine_kind_t engine_kind, const fpmath_t &fpmath, dnnl_graph_partition_policy_t policy);

} // namespace kiln::graph
