// SPDX-License-Identifier: Apache-2.0
// The rule for quantizing each row y of a normalization by its largest absolute value:
//     y -> Abs -> ReduceMax -> Multiply by a scalar -> [StaticReshape] -> DynamicQuantize of y

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// The consumer of a tensor that is of this kind; null if there are several or none.
const op_t *consumer_of_kind(const edges_t &edges, size_t tensor, op_kind_t kind) {
    const op_t *found = nullptr;
    for (const auto &[op, input] : edges.consumers(tensor)) {
        if (op->kind != kind) continue;
        if (found) return nullptr;
        found = op;
    }
    return found;
}

/// Whether the operation is the maximum of each row of a matrix.
bool is_row_max(const op_t &op) {
    if (!op.has_attr(dnnl_graph_op_attr_axes) || op.inputs[0].ndims != 2) return false;
    const auto &axes = op.attr<std::vector<int64_t>>(dnnl_graph_op_attr_axes);
    return axes.size() == 1 && (axes[0] == 1 || axes[0] == -1)
           && op.attr<bool>(dnnl_graph_op_attr_keep_dims);
}

bool is_per_row(const op_t &quantize) {
    const int64_t axis = quantize.attr<int64_t>(dnnl_graph_op_attr_axis);
    return quantize.attr<std::string>(dnnl_graph_op_attr_qtype) == "per_channel"
           && (axis == 0 || axis == -2) && quantize.inputs.size() == 2;
}

} // namespace

ops_t match_dynamic_quantize(const group_t &group, const edges_t &edges) {
    if (edges.consumers(group.result).size() != 2) return {};
    const op_t *const abs = consumer_of_kind(edges, group.result, dnnl_graph_op_abs);
    const op_t *const quantize =
            consumer_of_kind(edges, group.result, dnnl_graph_op_dynamic_quantize);
    if (abs == nullptr || quantize == nullptr || quantize->inputs[0].id != group.result) return {};
    const op_t *const max = only_consumer(edges, abs->outputs[0].id);
    if (max == nullptr || max->kind != dnnl_graph_op_reduce_max || !is_row_max(*max)) return {};
    const op_t *const multiply = only_consumer(edges, max->outputs[0].id);
    if (multiply == nullptr || multiply->kind != dnnl_graph_op_multiply) return {};
    const logical_tensor_t *const factor = other_input(*multiply, max->outputs[0].id);
    if (factor == nullptr || factor->data_type != dnnl_f32) return {};
    if (!is_per_row(*quantize)) return {};
    if (quantize->inputs[1].id == multiply->outputs[0].id) return {abs, max, multiply, quantize};
    // With a reshape the product must have no other consumer: the primitive has one output for
    // both.
    const op_t *const reshape = only_consumer(edges, multiply->outputs[0].id);
    if (reshape == nullptr || reshape->kind != dnnl_graph_op_static_reshape
            || reshape->outputs[0].id != quantize->inputs[1].id)
        return {};
    return {abs, max, multiply, reshape, quantize};
}

status_t apply_dynamic_quantize(const fusion_t &fusion, request_t &request) {
    auto &desc = request.desc.get<layer_normalization_desc_t>();
    const op_t &max = *fusion.ops[1], &multiply = *fusion.ops[2], &quantize = *fusion.ops.back();
    program_builder_t &program = request.program();
    const logical_tensor_t &factor = *other_input(multiply, max.outputs[0].id);
    KILN_REQUIRE(number_of_elements(request.tensor(factor)) == 1, dnnl_unimplemented, "graph",
            "%s: the factor is not a scalar", multiply.name.c_str());
    const size_t scales = quantize.inputs[1].id;
    const dim_t rows = desc.src.dims[0];
    const auto seen = reshaped(program.md_of_tensor(scales), 1, &rows);
    KILN_REQUIRE(desc.src.ndims == 2 && seen, dnnl_unimplemented, "graph",
            "%s: there is not one scale for each row of a matrix", quantize.name.c_str());
    desc.row_scale = *seen;
    request.arguments[DNNL_ARG_DST_2] = program.value_of(scales);
    request.arguments[DNNL_ARG_SRC_2] = program.value_of(factor.id);
    return request.set_result(quantize.outputs[0]);
}

} // namespace kiln::graph
