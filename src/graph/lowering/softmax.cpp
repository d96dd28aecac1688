// SPDX-License-Identifier: Apache-2.0
// SoftMax, LogSoftmax and their gradients: softmax primitives.

#include "common/operations/softmax_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"

namespace kiln::graph {
namespace {

/// The descriptor without tensors; the view is the operation's.
status_t describe(const op_t &op, request_t &request, softmax_desc_t &desc) {
    const int ndims = request.tensor(op.inputs[0]).ndims;
    const bool is_log =
            op.kind == dnnl_graph_op_log_softmax || op.kind == dnnl_graph_op_log_softmax_backward;
    desc.alg = is_log ? dnnl_softmax_log : dnnl_softmax_accurate;
    desc.axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), ndims);
    KILN_REQUIRE(desc.axis >= 0, dnnl_invalid_shape, "graph",
            "%s: axis is out of range for an input of %d dims", op.name.c_str(), ndims);
    request.view = view_t::same(ndims);
    return dnnl_success;
}

} // namespace

status_t lower_softmax(const op_t &op, request_t &request) {
    softmax_desc_t desc{};
    desc.prop_kind = dnnl_forward_inference;
    KILN_TRY(describe(op, request, desc));
    desc.is_inf_zero = op.kind == dnnl_graph_op_softmax
                       && op.attr<std::string>(dnnl_graph_op_attr_mode) == "inf_as_zero";
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src.edit()));
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    if (op.outputs.size() > 1 && !is_absent(op.outputs[1]))
        KILN_TRY(request.write(DNNL_ARG_DST_1, op.outputs[1], desc.stats.edit()));
    request.desc = desc;
    return dnnl_success;
}

status_t lower_softmax_backward(const op_t &op, request_t &request) {
    softmax_desc_t desc{};
    desc.prop_kind = dnnl_backward_data;
    request.result = DNNL_ARG_DIFF_SRC;
    KILN_TRY(describe(op, request, desc));
    KILN_TRY(request.read(DNNL_ARG_DIFF_DST, op.inputs[0], desc.diff_dst.edit()));
    KILN_TRY(request.read(DNNL_ARG_DST, op.inputs[1], desc.dst));
    KILN_TRY(request.write(DNNL_ARG_DIFF_SRC, op.outputs[0], desc.diff_src.edit()));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
