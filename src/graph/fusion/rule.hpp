// SPDX-License-Identifier: Apache-2.0
// Fusion rules (patterns): which operations join a group, and how they change its primitive. The
// table is rules.cpp.
#pragma once

#include <span>

#include "common/status.hpp"
#include "graph/fusion/group.hpp"
#include "graph/op/op_kinds.hpp"

namespace kiln::graph {

class request_t;
using ops_t = std::vector<const op_t *>;

/// The side of the anchor on which a rule matches.
enum class side_t {
    before,     ///< producers of the anchor's inputs
    after,      ///< consumers of the group's result
    after_last, ///< the same, and no rule follows
};

struct rule_t {
    const char *name;
    side_t side;
    op_kinds_t anchors;
    /// The operations that join `group`, in an execution order; empty if the rule does not match.
    /// After the anchor, the output of the last one becomes the group's result.
    ops_t (*match)(const group_t &group, const edges_t &edges);
    /// Changes the description of the primitive. dnnl_unimplemented if shapes or layouts, which are
    /// known by then, do not allow the fusion: the operations then run one by one.
    status_t (*apply)(const fusion_t &fusion, request_t &request);
};

/// All rules, in the order of matching.
std::span<const rule_t> fusion_rules();

/// The only consumer of the tensor; null if there are several or none.
const op_t *only_consumer(const edges_t &edges, size_t tensor);
/// The only consumer of the group's result, if it is of this kind; else null.
const op_t *next_of_kind(const group_t &group, const edges_t &edges, op_kind_t kind);
/// Whether the shapes are equal or one of them is unknown.
bool may_have_same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs);
/// The input of a binary operation that is not `tensor`; null if both are.
const logical_tensor_t *other_input(const op_t &op, size_t tensor);
/// Whether the operation can be a binary post-op: the group's result is the first operand, or the
/// operation is commutative.
bool is_binary_of(const op_t &op, size_t result);
/// The primitive reads the intermediate tensor without a copy. A fusion that removes the tensor
/// requires it.
status_t check_taken_directly(request_t &request, int arg, const logical_tensor_t &lt);

// The functions in the table.
ops_t match_residual_add(const group_t &, const edges_t &);
status_t apply_residual_add(const fusion_t &, request_t &);

ops_t match_conversion(const group_t &, const edges_t &);
status_t apply_conversion(const fusion_t &, request_t &);

ops_t match_relu_backward(const group_t &, const edges_t &);
status_t apply_relu_backward(const fusion_t &, request_t &);

ops_t match_pre_ops(const group_t &, const edges_t &);
status_t apply_pre_ops(const fusion_t &, request_t &);

ops_t match_dequantized_operands(const group_t &, const edges_t &);
status_t apply_dequantized_operands(const fusion_t &, request_t &);
ops_t match_dequantized_weights(const group_t &, const edges_t &);
status_t apply_dequantized_weights(const fusion_t &, request_t &);

ops_t match_add_relu(const group_t &, const edges_t &);
status_t apply_add_relu(const fusion_t &, request_t &);

ops_t match_silu(const group_t &, const edges_t &);
status_t apply_silu(const fusion_t &, request_t &);

ops_t match_eltwise(const group_t &, const edges_t &);
status_t apply_eltwise(const fusion_t &, request_t &);

ops_t match_binary(const group_t &, const edges_t &);
status_t apply_binary(const fusion_t &, request_t &);
ops_t match_gradient_add(const group_t &, const edges_t &);
ops_t match_dequantized_operand(const group_t &, const edges_t &);
status_t apply_dequantized_operand(const fusion_t &, request_t &);

ops_t match_transpose(const group_t &, const edges_t &);
status_t apply_transpose(const fusion_t &, request_t &);
ops_t match_reshape(const group_t &, const edges_t &);
status_t apply_reshape(const fusion_t &, request_t &);

ops_t match_select(const group_t &, const edges_t &);
status_t apply_select(const fusion_t &, request_t &);

ops_t match_bias_add(const group_t &, const edges_t &);
status_t apply_bias_add(const fusion_t &, request_t &);

ops_t match_type_cast(const group_t &, const edges_t &);
ops_t match_reorder(const group_t &, const edges_t &);
status_t apply_conversion_of_result(const fusion_t &, request_t &);

ops_t match_quantize(const group_t &, const edges_t &);
status_t apply_quantize(const fusion_t &, request_t &);

ops_t match_quantized_concat(const group_t &, const edges_t &);
status_t apply_quantized_concat(const fusion_t &, request_t &);

ops_t match_dynamic_quantize(const group_t &, const edges_t &);
status_t apply_dynamic_quantize(const fusion_t &, request_t &);

} // namespace kiln::graph
