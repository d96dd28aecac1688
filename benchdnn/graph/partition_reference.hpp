// SPDX-License-Identifier: Apache-2.0
// A partition's outputs against its operations computed one after the other in double, from the
// tensors that the partition was given.
#pragma once

#include <functional>
#include <vector>

#include "common/tensor/comparison.hpp"
#include "common/tensor/tensor.hpp"
#include "graph/model/model.hpp"

namespace benchdnn::graph {

struct partition_ports_t {
    std::vector<size_t> ops;             // ids
    std::vector<size_t> inputs, outputs; // ids of logical tensors
};

// Why the driver has no reference for the partition's operations, or "".
std::string reference_obstacle(const graph_t &graph);

// tensor_of: the memory of each input and output, as it is after the execution. Between two
// operations of a partition values may be rounded to their tensor's type or not; those of a tensor
// that leaves the partition are, and are read from there.
std::vector<comparison_t> compare_partition(const graph_t &graph, const partition_ports_t &ports,
        const std::function<const tensor_t &(size_t id)> &tensor_of);

} // namespace benchdnn::graph
