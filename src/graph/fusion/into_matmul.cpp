// SPDX-License-Identifier: Apache-2.0
// Rules for the operations before MatMul that make its operands floating-point numbers: Dequantize,
// and TypeCast behind it, of both operands or of the weights. Scales and zero points become
// attributes of the primitive.

#include "common/operations/matmul_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// What makes an operand of integers: Dequantize, and perhaps the TypeCast of its result.
struct conversion_t {
    const op_t *dequantize = nullptr; ///< null if there is none
    const op_t *cast = nullptr;
};

/// The conversion of the operand, whose tensors nothing else reads.
conversion_t conversion_of(const op_t &matmul, size_t input, const edges_t &edges) {
    const auto producer_for = [&](const op_t *consumer, size_t tensor) {
        return only_consumer(edges, tensor) == consumer ? edges.producer(tensor) : nullptr;
    };
    conversion_t found{producer_for(&matmul, matmul.inputs[input].id)};
    if (found.dequantize && found.dequantize->kind == dnnl_graph_op_type_cast) {
        found.cast = found.dequantize;
        found.dequantize = producer_for(found.cast, found.cast->inputs[0].id);
    }
    const bool is_found = found.dequantize && found.dequantize->kind == dnnl_graph_op_dequantize;
    return is_found ? found : conversion_t();
}

void append(ops_t &ops, const conversion_t &conversion) {
    ops.push_back(conversion.dequantize);
    if (conversion.cast) ops.push_back(conversion.cast);
}

/// The Dequantize of a match whose result, or whose cast result, is the tensor.
const op_t &dequantize_of(const fusion_t &fusion, size_t tensor) {
    const op_t *found = nullptr;
    for (size_t i = fusion.ops.size(); i-- > 0;)
        if (fusion.ops[i]->outputs[0].id == tensor) {
            found = fusion.ops[i];
            tensor = found->inputs[0].id; // of a TypeCast, which follows its Dequantize
        }
    return *found;
}

/// Reads the integers in the place of the operand that the match would make of them.
status_t apply_dequantize(const fusion_t &fusion, int arg, request_t &request, memory_desc_t &md) {
    const op_t &matmul = *request.anchor;
    const logical_tensor_t &operand = matmul.inputs[arg == DNNL_ARG_SRC ? 0 : 1];
    const op_t &op = dequantize_of(fusion, operand.id);
    const bool transposes = matmul.attr<bool>(
            arg == DNNL_ARG_SRC ? dnnl_graph_op_attr_transpose_a : dnnl_graph_op_attr_transpose_b);
    KILN_TRY(check_taken_directly(request, arg, operand));
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
    const conversion_t src = conversion_of(*group.anchor, 0, edges);
    const conversion_t weights = conversion_of(*group.anchor, 1, edges);
    if (!src.dequantize || !weights.dequantize || is_per_channel(*src.dequantize)) return {};
    ops_t ops;
    append(ops, src);
    append(ops, weights);
    return ops;
}

status_t apply_dequantized_operands(const fusion_t &fusion, request_t &request) {
    auto &desc = request.desc.get<matmul_desc_t>();
    KILN_TRY(apply_dequantize(fusion, DNNL_ARG_SRC, request, desc.src));
    return apply_dequantize(fusion, DNNL_ARG_WEIGHTS, request, desc.weights);
}

ops_t match_dequantized_weights(const group_t &group, const edges_t &edges) {
    const conversion_t weights = conversion_of(*group.anchor, 1, edges);
    ops_t ops;
    if (weights.dequantize) append(ops, weights);
    return ops;
}

status_t apply_dequantized_weights(const fusion_t &fusion, request_t &request) {
    request.attr.fpmath.apply_to_int = true;
    return apply_dequantize(
            fusion, DNNL_ARG_WEIGHTS, request, request.desc.get<matmul_desc_t>().weights);
}

} // namespace kiln::graph
