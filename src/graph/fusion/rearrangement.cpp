// SPDX-License-Identifier: Apache-2.0
// Rules for a StaticTranspose and a StaticReshape that follow one of these operations: one reorder
// moves each element to its last place. Heads of attention are split and joined that way.

#include <algorithm>

#include "common/operations/reorder_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// The next operation, if it is of this kind and the group only moves elements: operands of
/// post-ops have the axes of the result that they are applied to.
ops_t match_move(const group_t &group, const edges_t &edges, op_kind_t kind) {
    const op_kinds_t moves{dnnl_graph_op_static_reshape, dnnl_graph_op_static_transpose};
    const op_t *const op = next_of_kind(group, edges, kind);
    const bool only_moves = std::ranges::all_of(group.fusions,
            [&](const fusion_t &fusion) { return moves.contains(fusion.ops[0]->kind); });
    return op && only_moves && moves.contains(group.anchor->kind) ? ops_t{op} : ops_t();
}

} // namespace

ops_t match_transpose(const group_t &group, const edges_t &edges) {
    return match_move(group, edges, dnnl_graph_op_static_transpose);
}

status_t apply_transpose(const fusion_t &fusion, request_t &request) {
    const op_t &op = *fusion.ops[0];
    auto &desc = request.desc.get<reorder_desc_t>();
    KILN_TRY(permute_for(op, desc.src));
    desc.dst = desc.src; // in shape
    return request.set_result(op.outputs[0]);
}

ops_t match_reshape(const group_t &group, const edges_t &edges) {
    return match_move(group, edges, dnnl_graph_op_static_reshape);
}

status_t apply_reshape(const fusion_t &fusion, request_t &request) {
    return request.set_reshaped_result(fusion.ops[0]->outputs[0]);
}

} // namespace kiln::graph
