// SPDX-License-Identifier: Apache-2.0
// Post-operations as --attr-post-ops gives them.
#pragma once

#include <string>
#include <vector>

#include "common/attributes/broadcast.hpp"
#include "common/tensor/dims.hpp"

namespace benchdnn {

struct post_op_t {
    enum class kind_t { sum, eltwise, binary, prelu, depthwise };
    kind_t kind = kind_t::eltwise;
    dnnl_alg_kind_t algorithm = dnnl_alg_kind_undef; // of eltwise and binary

    float alpha = 0, beta = 0; // eltwise

    float sum_scale = 1;
    int sum_zero_point = 0;
    dnnl_data_type_t data_type = dnnl_data_type_undef; // of sum, and of the operand of binary

    broadcast_t broadcast; // binary's and prelu's operand
    std::string tag = "any";
    dims_t strides; // of the operand; empty: the tag gives the layout
    bool has_condition() const { return algorithm == dnnl_binary_select; }

    int kernel = 0, stride = 0, padding = 0; // depthwise
};

// The chain of post-ops, and its text for reproduction lines.
struct post_ops_t {
    std::vector<post_op_t> chain;
    std::string text;
    bool has(post_op_t::kind_t kind) const;
    // What the first sum reads dst as; undef: as what it is.
    dnnl_data_type_t sum_type() const;
};

post_ops_t parse_post_ops(const std::string &text);

// An elementwise or binary function by itself, as --alg names it, and its short name.
struct algorithm_t {
    dnnl_alg_kind_t value;
    std::string name;
};
algorithm_t parse_algorithm(const std::string &text, post_op_t::kind_t kind);

// Names of all post-operations, for messages and help.
std::vector<std::string> post_op_names();

} // namespace benchdnn
