// SPDX-License-Identifier: Apache-2.0
// Cutting a graph into partitions.
#pragma once

#include "graph/partition/partition.hpp"

namespace kiln::graph {

/// Every operation is in one partition, supported or not; partitions are in an order in which they
/// can be executed. `ops` are in such an order, too.
std::vector<std::shared_ptr<const partition_t>> partitions_of(const std::vector<op_ptr_t> &ops,
        const edges_t &edges, engine_kind_t engine_kind, const fpmath_t &fpmath,
        dnnl_graph_partition_policy_t policy);

} // namespace kiln::graph
