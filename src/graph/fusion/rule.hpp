// SPDX-License-Identifier: Apache-2.0
// The rules of fusion: which operations join a group, and how they change its primitive. The table
// is rules.cpp.
#pragma once

#include <span>

#include "common/status.hpp"
#include "graph/fusion/group.hpp"

namespace kiln::graph {

class request_t;

/// On which side of the anchor a rule looks.
enum class side_t {
    before,     ///< at what makes the anchor's input
    after,      ///< at what uses the group's result
    after_last, ///< likewise, and nothing follows what it fuses
};

struct rule_t {
    const char *name;
    side_t side;
    std::vector<op_kind_t> anchors;
    /// The operations that join `group`, in an order of execution; none where the rule does not
    /// apply. Behind the anchor, the output of the last one is the group's result from then on.
    std::vector<const op_t *> (*match)(const group_t &group, const edges_t &edges);
    /// Says it in the description of the primitive; dnnl_unimplemented where shapes or layouts,
    /// which are known by then, do not allow it: the operations then run one by one.
    status_t (*apply)(const fusion_t &fusion, request_t &request);
};

/// All rules, in the order in which they are tried.
std::span<const rule_t> fusion_rules();

/// The operation that alone uses the tensor, once; null where there are several uses or none.
const op_t *only_use(const edges_t &edges, size_t tensor);
/// Whether an output has the shape of an input, as far as is known yet.
bool may_have_same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs);
/// The input of a binary operation that is not `tensor`; null where both are.
const logical_tensor_t *other_input(const op_t &op, size_t tensor);

// The parts of the table, by file.
std::vector<const op_t *> match_residual_add(const group_t &, const edges_t &);
status_t apply_residual_add(const fusion_t &, request_t &);

std::vector<const op_t *> match_conversion(const group_t &, const edges_t &);
status_t apply_conversion(const fusion_t &, request_t &);

std::vector<const op_t *> match_relu_backward(const group_t &, const edges_t &);
status_t apply_relu_backward(const fusion_t &, request_t &);

std::vector<const op_t *> match_add_relu(const group_t &, const edges_t &);
status_t apply_add_relu(const fusion_t &, request_t &);

std::vector<const op_t *> match_silu(const group_t &, const edges_t &);
status_t apply_silu(const fusion_t &, request_t &);

std::vector<const op_t *> match_eltwise(const group_t &, const edges_t &);
status_t apply_eltwise(const fusion_t &, request_t &);

std::vector<const op_t *> match_binary(const group_t &, const edges_t &);
status_t apply_binary(const fusion_t &, request_t &);
std::vector<const op_t *> match_gradient_add(const group_t &, const edges_t &);

std::vector<const op_t *> match_type_cast(const group_t &, const edges_t &);
status_t apply_type_cast(const fusion_t &, request_t &);

std::vector<const op_t *> match_quantize(const group_t &, const edges_t &);
status_t apply_quantize(const fusion_t &, request_t &);

std::vector<const op_t *> match_dynamic_quantize(const group_t &, const edges_t &);
status_t apply_dynamic_quantize(const fusion_t &, request_t &);

} // namespace kiln::graph
