// SPDX-License-Identifier: Apache-2.0
// The rule for the operations before MatMul that make its operands floating-point numbers:
// Dequantize of both operands, whose scales and zero points become attributes of the primitive.

#include "common/operations/matmul_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// The Dequantize that makes the operand, and nothing else reads; null if there is none.
const op_t *dequantize_of(const op_t &matmul, size_t input, const edges_t &edges) {
    const size_t tensor = matmul.inputs[input].id;
    const op_t *const op = edges.producer(tensor);
    const bool is_alone = only_consumer(edges, tensor) == &matmul;
    return op && is_alone && op->kind == dnnl_graph_op_dequantize ? op : nullptr;
}

/// Reads the integers in the place of the operand that `op` would make of them.
status_t apply_dequantize(
        const op_t &op, const op_t &matmul, int arg, request_t &request, memory_desc_t &md) {
    const bool transposes = matmul.attr<bool>(
            arg == DNNL_ARG_SRC ? dnnl_graph_op_attr_transpose_a : dnnl_graph_op_attr_transpose_b);
    KILN_TRY(check_taken_directly(request, arg, op.outputs[0]));
    KILN_TRY(read_factor(matmul, arg, op.inputs[0], request, md));
    const int own_ndims = request.tensor(op.inputs[0]).ndims;
    int axis = scale_axis(op, own_ndims), mask = 0;
    if (axis >= 0) {
        axis += md.ndims - own_ndims;
        const int last = md.ndims - 1;
        if (transposes && axis >= last - 1) axis = axis == last ? last - 1 : last;
        KILN_REQUIRE(arg == DNNL_ARG_WEIGHTS && axis == last && own_ndims > 1, dnnl_unimplemented,
                "graph", "%s: scales along axis %d are not those of the columns of the product",
                op.name.c_str(), axis);
        mask = 1 << axis;
    }
    request.attr.scales[arg].mask = mask;
    request.arguments[DNNL_ARG_ATTR_SCALES | arg] = request.program().literal(scales_of(op));
    const auto points = zero_points_of(op);
    if (points.empty()) return dnnl_success;
    quantization_t &zero_point = request.attr.zero_points[arg];
    zero_point.mask = mask;
    zero_point.data_type = dnnl_s32;
    request.arguments[DNNL_ARG_ATTR_ZERO_POINTS | arg] =
            request.program().literal(std::vector<int32_t>(points.begin(), points.end()));
    return dnnl_success;
}

} // namespace

ops_t match_dequantized_operands(const group_t &group, const edges_t &edges) {
    const op_t &matmul = *group.anchor;
    if (matmul.inputs[0].id == matmul.inputs[1].id) return {};
    const op_t *const src = dequantize_of(matmul, 0, edges);
    const op_t *const weights = dequantize_of(matmul, 1, edges);
    if (src == nullptr || weights == nullptr || is_per_channel(*src)) return {};
    return {src, weights};
}

status_t apply_dequantized_operands(const fusion_t &fusion, request_t &request) {
    auto &desc = request.desc.get<matmul_desc_t>();
    const op_t &matmul = *request.anchor;
    KILN_TRY(apply_dequantize(*fusion.ops[0], matmul, DNNL_ARG_SRC, request, desc.src));
    return apply_dequantize(*fusion.ops[1], matmul, DNNL_ARG_WEIGHTS, request, desc.weights);
}

} // namespace kiln::graph
