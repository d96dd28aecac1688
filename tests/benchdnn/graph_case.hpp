// SPDX-License-Identifier: Apache-2.0
// A short notation for graphs, with tensors of the test in place of a library: inputs are filled by
// the driver or by the test, outputs by the test, and the driver checks them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/model/deserialize.hpp"
#include "graph/partition_reference.hpp"

namespace benchdnn::graph {

struct tensor_words_t {
    size_t id;
    dims_t dims;
    dnnl_data_type_t type = dnnl_f32;
};

// {"Add", {{0, {2, 3}}, {1, {3}}}, {{2, {2, 3}}}}
struct op_words_t {
    std::string kind;
    std::vector<tensor_words_t> inputs, outputs;
    std::map<std::string, attribute_t> attributes = {};
};

graph_t graph_of(const std::vector<op_words_t> &ops);

class graph_case_t {
public:
    // All operations are one partition. Inputs are filled by the driver.
    explicit graph_case_t(graph_t graph);

    tensor_t &tensor(size_t id) { return tensors_.at(id); }
    std::vector<double> values(size_t id) const;
    void store(size_t id, const std::vector<double> &values);
    // The number of wrong elements in the outputs.
    int64_t errors() const;

    const graph_t graph;

private:
    partition_ports_t ports_;
    std::map<size_t, tensor_t> tensors_;
};

// A tensor's data as bytes of an argument.
layout_t dense_layout(dnnl_data_type_t type, const dims_t &dims);

} // namespace benchdnn::graph
