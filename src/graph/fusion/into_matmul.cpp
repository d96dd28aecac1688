// SPDX-License-Identifier: Apache-2.0
// Rules for the operations before MatMul that make its operands floating-point numbers: Dequantize
// or DynamicDequantize, and TypeCast behind it, of both operands or of the weights. Scales and zero
// points become attributes of the primitive.

#include "common/operations/matmul_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// What makes an operand of integers: a dequantization, and perhaps the TypeCast of its result.
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
    const op_kinds_t kinds{dnnl_graph_op_dequantize, dnnl_graph_op_dynamic_dequantize};
    const bool is_found = found.dequantize && kinds.contains(found.dequantize->kind);
    return is_found ? found : conversion_t();
}

void append(ops_t &ops, const conversion_t &conversion) {
    ops.push_back(conversion.dequantize);
    if (conversion.cast) ops.push_back(conversion.cast);
}

/// The dequantization of a match whose result, or whose cast result, is the tensor.
const op_t &dequantize_of(const fusion_t &fusion, size_t tensor) {
    const op_t *found = nullptr;
    for (size_t i = fusion.ops.size(); i-- > 0;)
        if (fusion.ops[i]->outputs[0].id == tensor) {
            found = fusion.ops[i];
            tensor = found->inputs[0].id; // of a TypeCast, which follows its dequantization
        }
    return *found;
}

/// Where scales for each position along an axis of an operand lie in the product's matrices,
/// counted from the last axis: 0 columns, 1 rows, and so on.
int axis_from_back(const op_t &matmul, int arg, int axis, int ndims) {
    const int from_back = ndims - 1 - axis;
    const bool transposes = matmul.attr<bool>(
            arg == DNNL_ARG_SRC ? dnnl_graph_op_attr_transpose_a : dnnl_graph_op_attr_transpose_b);
    return transposes && ndims > 1 && from_back < 2 ? 1 - from_back : from_back;
}

bool has_zero_points(const op_t &dequantize) {
    return dequantize.inputs.size() > 2
           || (dequantize.kind == dnnl_graph_op_dequantize && !zero_points_of(dequantize).empty());
}

/// Whether scales of src are those of the tensor, or of rows, which have no zero points of their
/// own in the primitive: others differ along K.
bool can_scale_src(const op_t &matmul, const op_t &dequantize) {
    if (has_groups(dequantize)) return false;
    if (!is_per_channel(dequantize)) return true;
    const logical_tensor_t &src = dequantize.inputs[0];
    return !has_zero_points(dequantize) && has_known_ndims(src) && src.ndims > 1
           && axis_from_back(matmul, DNNL_ARG_SRC, scale_axis(dequantize, src.ndims), src.ndims)
                      == 1;
}

/// The mask of scales that are not those of groups. `md`: of the integers.
status_t find_mask(
        const op_t &dequantize, int arg, request_t &request, const memory_desc_t &md, int &mask) {
    const int ndims = request.tensor(dequantize.inputs[0]).ndims;
    mask = 0;
    if (!is_per_channel(dequantize)) return dnnl_success;
    const int axis = axis_from_back(*request.anchor, arg, scale_axis(dequantize, ndims), ndims);
    KILN_REQUIRE(axis == (arg == DNNL_ARG_SRC ? 1 : 0) && ndims > 1, dnnl_unimplemented, "graph",
            "%s: scales are not those of the %s of the product", dequantize.name.c_str(),
            arg == DNNL_ARG_SRC ? "rows" : "columns");
    mask = 1 << (md.ndims - 1 - axis);
    return dnnl_success;
}

/// Binds scales and zero points of groups, which have the axes of the operand.
status_t bind_groups(const op_t &dequantize, int arg, request_t &request, const memory_desc_t &md) {
    const auto bind = [&](int kind, const logical_tensor_t &lt, quantization_map_t &map) {
        memory_desc_t values;
        KILN_TRY(read_factor(*request.anchor, arg, lt, request, values, kind));
        KILN_TRY(find_groups(dequantize, values, md, map[arg]));
        return request.make_dense(kind | arg, values);
    };
    KILN_TRY(bind(DNNL_ARG_ATTR_SCALES, dequantize.inputs[1], request.attr.scales));
    if (dequantize.inputs.size() < 3) return dnnl_success;
    return bind(DNNL_ARG_ATTR_ZERO_POINTS, dequantize.inputs[2], request.attr.zero_points);
}

/// Reads the integers in the place of the operand that the match would make of them.
status_t apply_dequantize(const fusion_t &fusion, int arg, request_t &request, memory_desc_t &md) {
    const op_t &matmul = *request.anchor;
    const logical_tensor_t &operand = matmul.inputs[arg == DNNL_ARG_SRC ? 0 : 1];
    const op_t &op = dequantize_of(fusion, operand.id);
    KILN_TRY(check_taken_directly(request, arg, operand));
    KILN_TRY(read_factor(matmul, arg, op.inputs[0], request, md));
    if (has_groups(op)) return bind_groups(op, arg, request, md);
    int mask = 0;
    KILN_TRY(find_mask(op, arg, request, md, mask));
    return bind_scales(op, arg, mask, request);
}

} // namespace

ops_t match_dequantized_operands(const group_t &group, const edges_t &edges) {
    const conversion_t src = conversion_of(*group.anchor, 0, edges);
    const conversion_t weights = conversion_of(*group.anchor, 1, edges);
    if (!src.dequantize || !weights.dequantize || !can_scale_src(*group.anchor, *src.dequantize))
        return {};
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
