// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of a partition with a reference that computes its operations one by one in
// double, from the tensors that the partition was given.
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

// tensor_of: the memory of each input and output, after the execution. Between two operations of a
// partition, values may or may not be rounded to the type of their tensor; the values of an output
// of the partition are, and later operations read them from there.
std::vector<comparison_t> compare_partition(const graph_t &graph, const partition_ports_t &ports,
        const std::function<const tensor_t &(size_t id)> &tensor_of);

} // namespace benchdnn::graph
