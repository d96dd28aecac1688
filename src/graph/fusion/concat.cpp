// SPDX-License-Identifier: Apache-2.0
// Rule for a concatenation of dequantized tensors that is quantized again: integers are
// concatenated, each source with the quotient of the two scales.

#include <cmath>

#include "common/operations/concat_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/quantization.hpp"
#include "graph/lowering/request.hpp"

namespace kiln::graph {
namespace {

/// Whether there is one scale, and no zero point.
bool has_one_scale(const op_t &op) {
    return !is_per_channel(op) && zero_points_of(op).empty() && scales_of(op)[0] > 0;
}

} // namespace

ops_t match_quantized_concat(const group_t &group, const edges_t &edges) {
    const op_t &concat = *group.anchor;
    const op_t *const quantize = next_of_kind(group, edges, dnnl_graph_op_quantize);
    if (quantize == nullptr || !has_one_scale(*quantize)) return {};
    ops_t ops;
    for (const logical_tensor_t &input : concat.inputs) {
        const op_t *const op = edges.producer(input.id);
        if (op == nullptr || op->kind != dnnl_graph_op_dequantize || !has_one_scale(*op)
                || only_consumer(edges, input.id) != &concat
                || op->inputs[0].data_type != quantize->outputs[0].data_type)
            return {};
        ops.push_back(op);
    }
    ops.push_back(quantize);
    return ops;
}

status_t apply_quantized_concat(const fusion_t &fusion, request_t &request) {
    auto &desc = request.desc.get<concat_desc_t>();
    const op_t &quantize = *fusion.ops.back();
    const float divisor = scales_of(quantize)[0];
    for (size_t i = 0; i < desc.srcs.size(); ++i) {
        const op_t &op = *fusion.ops[i];
        const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
        KILN_TRY(request.read(arg, op.inputs[0], desc.srcs[i]));
        const float factor = scales_of(op)[0] / divisor;
        KILN_REQUIRE(std::isnormal(factor), dnnl_unimplemented, "graph",
                "%s: the quotient of the scales, %g, is not a normal number", op.name.c_str(),
                static_cast<double>(factor));
        if (factor == 1) continue;
        request.attr.scales[arg] = {};
        request.arguments[DNNL_ARG_ATTR_SCALES | arg] =
                request.program().literal(std::vector<float>{factor});
    }
    return request.set_result(quantize.outputs[0]);
}

} // namespace kiln::graph
