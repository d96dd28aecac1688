// SPDX-License-Identifier: Apache-2.0
// The table of operations: names, enumerators and, for those with a reference, shape inference,
// reference and roles of inputs. Adding an operation is a row here.
#pragma once

#include <string>
#include <vector>

#include "graph/reference/step.hpp"
#include "graph/shapes.hpp"

namespace benchdnn::graph {

// The role of an input, which decides its range of values.
enum class role_t {
    data,
    positive, // operand of a root or a logarithm, or a divisor
    near_one, // many of them are multiplied
    forward,  // src or, with use_dst, dst of a function whose gradient is computed
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
    std::string name; // in JSON files
    dnnl_graph_op_kind_t kind;
    // Both null: the driver has no reference.
    infer_t infer = nullptr;
    compute_t compute = nullptr;
    std::vector<role_t> roles; // of inputs; further inputs have the last role
};

// Null if there is no operation of this name.
const operation_t *find_operation(const std::string &name);
std::vector<std::string> operation_names();
// bad_value_t for an unknown name.
const operation_t &operation_of(const std::string &name);

// Whether LayerNormBackward has gamma and beta, if any, in the place of mean and variance: with
// three inputs, or with four and use_affine=true.
bool lacks_statistics(const op_t &op);

// The role of an input of the operation.
role_t role_of(const op_t &op, size_t port);

// bad_value_t for an unknown name.
dnnl_graph_op_attr_t attribute_enumerator(const std::string &name);

} // namespace benchdnn::graph
