// SPDX-License-Identifier: Apache-2.0
// The rule for operations before softmax, such as the scale and the mask of attention's scores.

#include <algorithm>
#include <optional>

#include "common/operations/softmax_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/eltwise_algs.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

constexpr size_t max_pre_ops = 4;

/// Whether input `i` can be what a pre-op is applied to.
bool is_applied_to(const op_t &op, size_t i) {
    if (!may_have_same_shape(op.inputs[i], op.outputs[0])) return false;
    if (op.kind == dnnl_graph_op_select) return i != condition;
    return i == 0 || commutes(binary_alg_of(op.kind));
}

bool can_precede(const op_t &op) {
    if (op.kind == dnnl_graph_op_select) return true;
    return binary_kinds().contains(op.kind) && op.kind != dnnl_graph_op_squared_difference
           && op.inputs[0].id != op.inputs[1].id;
}

/// Which input the operation is applied to: one with the shape of its output.
std::optional<size_t> source_of(const op_t &op) {
    for (size_t i = 0; i < op.inputs.size(); ++i)
        if (is_applied_to(op, i)) return i;
    return std::nullopt;
}

/// The same inside of a chain: the output of the operation before.
std::optional<size_t> source_of(const op_t &op, size_t tensor) {
    for (size_t i = 0; i < op.inputs.size(); ++i)
        if (op.inputs[i].id == tensor)
            return is_applied_to(op, i) ? std::optional(i) : std::nullopt;
    return std::nullopt;
}

status_t add_pre_op(const op_t &op, size_t source, request_t &request) {
    if (op.kind == dnnl_graph_op_select) return request.add_select(op, source);
    return request.add_binary(binary_alg_of(op.kind), op.inputs[1 - source]);
}

/// Whether the elements along the axis are adjacent, or there is one.
bool is_adjacent(const memory_desc_t &md, int axis) {
    return md.dims[axis] == 1 || (is_plain(md) && md.format_desc.blocking.strides[axis] <= 1);
}

} // namespace

ops_t match_pre_ops(const group_t &group, const edges_t &edges) {
    ops_t chain; // from softmax towards the source
    const op_t *consumer = group.anchor;
    size_t source = 0; // the input of `consumer` that the chain goes on with
    while (chain.size() < max_pre_ops) {
        const size_t tensor = consumer->inputs[source].id;
        const op_t *const op = edges.producer(tensor);
        if (op == nullptr || only_consumer(edges, tensor) != consumer || !can_precede(*op)) break;
        // The input that another operation of this kind produces, else the first one that fits.
        std::optional<size_t> next;
        for (size_t i = 0; i < op->inputs.size() && !next; ++i) {
            const op_t *const producer = edges.producer(op->inputs[i].id);
            if (producer && can_precede(*producer)) next = source_of(*op, op->inputs[i].id);
        }
        if (!next) next = source_of(*op);
        if (!next) break;
        chain.push_back(op);
        consumer = op;
        source = *next;
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

status_t apply_pre_ops(const fusion_t &fusion, request_t &request) {
    auto &desc = request.desc.get<softmax_desc_t>();
    const ops_t &ops = fusion.ops;
    KILN_TRY(check_taken_directly(request, DNNL_ARG_SRC, ops.back()->outputs[0]));
    for (size_t i = 0; i < ops.size(); ++i) {
        const auto source =
                i == 0 ? source_of(*ops[0]) : source_of(*ops[i], ops[i - 1]->outputs[0].id);
        KILN_REQUIRE(source, dnnl_unimplemented, "graph",
                "%s: the operand before softmax is broadcast", ops[i]->name.c_str());
        if (i == 0) KILN_TRY(request.read(DNNL_ARG_SRC, ops[0]->inputs[*source], desc.src.edit()));
        KILN_TRY(add_pre_op(*ops[i], *source, request));
    }
    desc.pre_ops = request.attr.post_ops.entries.size();
    bool are_adjacent = is_adjacent(desc.src, desc.axis) && is_adjacent(desc.dst, desc.axis);
    for (const post_op_t &post_op : request.attr.post_ops.entries)
        for_each_operand(post_op, [&](int, const memory_desc_t &md) {
            are_adjacent = are_adjacent && is_adjacent(md, desc.axis);
        });
    KILN_REQUIRE(are_adjacent && same_dims(desc.src, desc.dst), dnnl_unimplemented, "graph",
            "%s: operations before softmax are fused where no source is broadcast and the elements "
            "along the axis are adjacent",
            ops[0]->name.c_str());
    return dnnl_success;
}

} // namespace kiln::graph
