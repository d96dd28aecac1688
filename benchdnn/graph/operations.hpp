// SPDX-License-Identifier: Apache-2.0
// The table of operations: names, the interface's enumerators, and, of those the driver can judge,
// shapes, reference and what their inputs are to hold. Adding one is a row here.
#pragma once

#include <string>
#include <vector>

#include "graph/reference/step.hpp"
#include "graph/shapes.hpp"

namespace benchdnn::graph {

// What an input is, as far as it decides which values make sense.
enum class role_t {
    data,
    positive, // its root or logarithm is taken, or it divides
    near_one, // a great many are multiplied
    forward,  // src or, with use_dst, dst of a function whose gradient is asked for
    diff_dst,
    scale,
    shift,
    mean,
    variance,
    condition,
    quantization_scale,
    zero_point,
    axes
};

struct operation_t {
    std::string name; // as JSON files spell it
    dnnl_graph_op_kind_t kind;
    // Both null: the driver knows the name only.
    infer_t infer = nullptr;
    compute_t compute = nullptr;
    std::vector<role_t> roles; // of inputs; those behind the last are like it
};

// null: there is no such operation.
const operation_t *find_operation(const std::string &name);
std::vector<std::string> operation_names();
// bad_value_t for a name that is none.
const operation_t &operation_of(const std::string &name);

// Of the operation's input.
role_t role_of(const op_t &op, size_t port);

// bad_value_t for a name that is none.
dnnl_graph_op_attr_t attribute_enumerator(const std::string &name);

} // namespace benchdnn::graph
