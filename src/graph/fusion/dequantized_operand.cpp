// SPDX-License-Identifier: Apache-2.0
// Rule for an addition, a subtraction or a multiplication whose other operand is a dequantized
// tensor, such as a residual of an int8 network: the integers are the operand of a binary post-op.

#include <cmath>

#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/eltwise_algs.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// Dequantize, and TypeCast behind it, whose result `consumer` alone reads as `tensor`. Empty if
/// there are none.
ops_t conversions_for(const op_t &consumer, size_t tensor, const edges_t &edges) {
    const auto producer_for = [&](const op_t &reader, size_t read) {
        return only_consumer(edges, read) == &reader ? edges.producer(read) : nullptr;
    };
    const op_t *const last = producer_for(consumer, tensor);
    if (last == nullptr || last->kind != dnnl_graph_op_type_cast)
        return last ? ops_t{last} : ops_t();
    const op_t *const first = producer_for(*last, last->inputs[0].id);
    return first ? ops_t{first, last} : ops_t();
}

} // namespace

ops_t match_dequantized_operand(const group_t &group, const edges_t &edges) {
    const op_t *const op = only_consumer(edges, group.result);
    if (op == nullptr || !is_binary_of(*op, group.result)) return {};
    const bool multiplies = op->kind == dnnl_graph_op_multiply;
    if (!multiplies && op->kind != dnnl_graph_op_add && op->kind != dnnl_graph_op_subtract)
        return {};
    ops_t ops = conversions_for(*op, other_input(*op, group.result)->id, edges);
    if (ops.empty() || ops[0]->kind != dnnl_graph_op_dequantize || is_per_channel(*ops[0])
            || (multiplies && !zero_points_of(*ops[0]).empty()))
        return {};
    ops.push_back(op);
    return ops;
}

/// x + scale * (q - zero) = (x / scale - zero + q) * scale.
status_t apply_dequantized_operand(const fusion_t &fusion, request_t &request) {
    const op_t &dequantize = *fusion.ops.front(), &op = *fusion.ops.back();
    const float scale = scales_of(dequantize)[0];
    const auto points = zero_points_of(dequantize);
    const float zero = points.empty() ? 0 : static_cast<float>(points[0]);
    KILN_REQUIRE(std::isnormal(scale) && std::isnormal(1 / scale), dnnl_unimplemented, "graph",
            "%s: the scale, %g, or its reciprocal is not a normal number", dequantize.name.c_str(),
            static_cast<double>(scale));
    const alg_kind_t alg = binary_alg_of(op.kind);
    if (alg != dnnl_binary_mul && (scale != 1 || zero != 0))
        KILN_TRY(request.add_eltwise(
                dnnl_eltwise_linear, 1 / scale, alg == dnnl_binary_add ? -zero : zero));
    KILN_TRY(request.add_binary(alg, dequantize.inputs[0]));
    if (scale != 1) KILN_TRY(request.add_eltwise(dnnl_eltwise_linear, scale, 0));
    return request.set_result(op.outputs[0]);
}

} // namespace kiln::graph
