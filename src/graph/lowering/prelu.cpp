// SPDX-License-Identifier: Apache-2.0
// PReLU and its gradients: prelu primitives.

#include "common/operations/prelu_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// How a slope is broadcast to src. A vector of one number for each channel lies along axis 1 if
/// channels are second; other slopes are aligned at the last axis.
class slope_t {
public:
    slope_t(const op_t &op, request_t &request, bool is_per_channel)
        : op_(op)
        , request_(request)
        , lies_along_channels_(is_per_channel && has_channels_second(op)
                               && request.tensor(op.inputs[1]).ndims == 1
                               && request.view.ndims() > 1) {}

    /// Binds the slope, or its gradient.
    status_t bind(int arg, const logical_tensor_t &lt, bool is_output, const memory_desc_t &src,
            memory_desc_t &md) const {
        if (lies_along_channels_)
            KILN_TRY(bind_along_channels(arg, lt, md));
        else
            KILN_TRY(is_output ? request_.write(arg, lt, md) : request_.read(arg, lt, md));
        for (int d = 0; d < src.ndims; ++d)
            KILN_REQUIRE(md.dims[d] == 1 || md.dims[d] == src.dims[d], dnnl_invalid_shape, "graph",
                    "%s: dimension %d of the slope is %lld; it must be 1 or src's, %lld",
                    op_.name.c_str(), d, static_cast<long long>(md.dims[d]),
                    static_cast<long long>(src.dims[d]));
        return dnnl_success;
    }

private:
    status_t bind_along_channels(int arg, const logical_tensor_t &lt, memory_desc_t &md) const {
        program_builder_t &program = request_.program();
        const memory_desc_t own = program.md_of_tensor(lt.id);
        dims_t dims;
        std::fill_n(dims, request_.view.ndims(), 1);
        dims[1] = own.dims[0];
        const auto seen = reshaped(own, request_.view.ndims(), dims);
        KILN_REQUIRE(seen, dnnl_unimplemented, "graph",
                "%s: the layout of the slope does not allow to place it along axis 1",
                op_.name.c_str());
        request_.arguments[arg] = program.value_of(lt.id);
        md = *seen;
        return dnnl_success;
    }

    const op_t &op_;
    request_t &request_;
    const bool lies_along_channels_;
};

view_t view_of(const op_t &op, const request_t &request) {
    return view_t::same(request.tensor(op.inputs[0]).ndims);
}

} // namespace

status_t lower_prelu(const op_t &op, request_t &request) {
    prelu_desc_t desc{};
    desc.prop_kind = dnnl_forward_inference;
    request.view = view_of(op, request);
    const slope_t slope(op, request, op.attr<bool>(dnnl_graph_op_attr_per_channel_broadcast));
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    KILN_TRY(slope.bind(DNNL_ARG_WEIGHTS, op.inputs[1], false, desc.src, desc.weights));
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst.edit()));
    request.desc = desc;
    return dnnl_success;
}

/// A slope of one axis with several numbers is one for each channel.
status_t lower_prelu_backward(const op_t &op, request_t &request) {
    prelu_desc_t desc{};
    desc.prop_kind = dnnl_backward;
    request.result = DNNL_ARG_DIFF_SRC;
    request.view = view_of(op, request);
    const slope_t slope(op, request, request.tensor(op.inputs[1]).dims[0] != 1);
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    KILN_TRY(slope.bind(DNNL_ARG_WEIGHTS, op.inputs[1], false, desc.src, desc.weights));
    KILN_TRY(request.read(DNNL_ARG_DIFF_DST, op.inputs[2], desc.diff_dst.edit()));
    KILN_TRY(request.write(DNNL_ARG_DIFF_SRC, op.outputs[0], desc.diff_src.edit()));
    KILN_TRY(slope.bind(
            DNNL_ARG_DIFF_WEIGHTS, op.outputs[1], true, desc.src, desc.diff_weights.edit()));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
