// SPDX-License-Identifier: Apache-2.0
// The rule for quantizing each row of a norm by its own greatest absolute value:
//     y -> Abs -> ReduceMax -> Multiply by a number -> [StaticReshape] -> DynamicQuantize of y

#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// The one of the operations that use a tensor that is of this kind, where there is one.
const op_t *user_of_kind(const edges_t &edges, size_t tensor, op_kind_t kind) {
    const op_t *found = nullptr;
    for (const use_t &use : edges.uses(tensor)) {
        if (use.op->kind != kind) continue;
        if (found) return nullptr;
        found = use.op;
    }
    return found;
}

/// Whether it is the maximum of each row of a matrix.
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

std::vector<const op_t *> match_dynamic_quantize(const group_t &group, const edges_t &edges) {
    if (edges.uses(group.result).size() != 2) return {};
    const op_t *const abs = user_of_kind(edges, group.result, dnnl_graph_op_abs);
    const op_t *const quantize = user_of_kind(edges, group.result, dnnl_graph_op_dynamic_quantize);
    if (abs == nullptr || quantize == nullptr || quantize->inputs[0].id != group.result) return {};
    const op_t *const max = only_use(edges, abs->outputs[0].id);
    if (max == nullptr || max->kind != dnnl_graph_op_reduce_max || !is_row_max(*max)) return {};
    const op_t *const multiply = only_use(edges, max->outputs[0].id);
    if (multiply == nullptr || multiply->kind != dnnl_graph_op_multiply) return {};
    const logical_tensor_t *const factor = other_input(*multiply, max->outputs[0].id);
    if (factor == nullptr || factor->data_type != dnnl_f32) return {};
    if (!is_per_row(*quantize)) return {};
    if (quantize->inputs[1].id == multiply->outputs[0].id) return {abs, max, multiply, quantize};
    // The product itself may not be seen then: the primitive has one output for it.
    const op_t *const reshape = only_use(edges, multiply->outputs[0].id);
    if (reshape == nullptr || reshape->kind != dnnl_graph_op_static_reshape
            || reshape->outputs[0].id != quantize->inputs[1].id)
        return {};
    return {abs, max, multiply, reshape, quantize};
}

status_t apply_dynamic_quantize(const fusion_t &fusion, request_t &request) {
    auto &desc = std::get<layer_normalization_desc_t>(request.desc);
    const op_t &max = *fusion.ops[1], &multiply = *fusion.ops[2], &quantize = *fusion.ops.back();
    program_builder_t &program = request.program();
    const logical_tensor_t &factor = *other_input(multiply, max.outputs[0].id);
    KILN_REQUIRE(number_of_elements(request.tensor(factor)) == 1, dnnl_unimplemented, "graph",
            "%s: a factor for each row", multiply.name.c_str());
    const size_t scales = quantize.inputs[1].id;
    const dim_t rows = desc.src.dims[0];
    const auto seen = reshaped(program.md_of_tensor(scales), 1, &rows);
    KILN_REQUIRE(desc.src.ndims == 2 && seen, dnnl_unimplemented, "graph",
            "%s: scales that are not one a row", quantize.name.c_str());
    desc.row_scale = *seen;
    request.arguments[DNNL_ARG_DST_2] = program.value_of(scales);
    request.arguments[DNNL_ARG_SRC_2] = program.value_of(factor.id);
    return request.set_result(quantize.outputs[0]);
}

} // namespace kiln::graph
