// SPDX-License-Identifier: Apache-2.0
// BatchNorm and GroupNorm operations: primitives whose channels are the second axis.
#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/operations/normalization/group_normalization_pd.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

view_t image_view(const op_t &op, const request_t &request) {
    return view_t::channels(request.tensor(op.inputs[0]).ndims, !has_channels_second(op));
}

/// Binds an input with this name as a vector of f32; does nothing if it is absent.
status_t read_floats(const op_t &op, request_t &request, const char *name, int arg) {
    const logical_tensor_t *const lt = input_of(op, name);
    return lt ? request.read_floats(arg, *lt) : dnnl_success;
}

/// The same for an output.
status_t write_floats(const op_t &op, request_t &request, const char *name, int arg) {
    const logical_tensor_t *const lt = output_of(op, name);
    return lt ? request.write_floats(arg, *lt) : dnnl_success;
}

/// Binds src, dst, gamma and beta.
template <typename desc_t> status_t bind_forward(const op_t &op, request_t &request, desc_t &desc) {
    desc.epsilon = op.attr<float>(dnnl_graph_op_attr_epsilon);
    request.view = image_view(op, request);
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    if (output_of(op, "dst")) {
        KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst.edit()));
    } else {
        desc.dst = desc.src;
        request.arguments[DNNL_ARG_DST] = request.program().temporary(byte_size(desc.dst));
    }
    if (input_of(op, "gamma")) desc.flags |= dnnl_use_scale;
    if (input_of(op, "beta")) desc.flags |= dnnl_use_shift;
    KILN_TRY(read_floats(op, request, "gamma", DNNL_ARG_SCALE));
    return read_floats(op, request, "beta", DNNL_ARG_SHIFT);
}

/// Adds running = momentum * previous + (1 - momentum) * batch, where `batch` is f32.
status_t update_running(request_t &request, const logical_tensor_t &previous, value_t batch,
        const logical_tensor_t &running, float momentum) {
    program_builder_t &program = request.program();
    const memory_desc_t before = program.md_of_tensor(previous.id);
    const memory_desc_t after = program.md_of_tensor(running.id);
    const memory_desc_t floats = dense_md(dnnl_f32, before.ndims, before.dims);
    const value_t kept = program.temporary(byte_size(floats));
    primitive_attr_t keep, add;
    keep.post_ops.entries.emplace_back(eltwise_post_op_t{dnnl_eltwise_linear, momentum, 0});
    add.post_ops.entries.emplace_back(eltwise_post_op_t{dnnl_eltwise_linear, 1 - momentum, 0});
    add.post_ops.entries.emplace_back(
            binary_post_op_t{dnnl_binary_add, floats, zero_md, floats, zero_md});
    KILN_TRY(program.copy(program.value_of(previous.id), before, kept, floats, keep));
    return program.copy(batch, floats, program.value_of(running.id), after, add,
            {{DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, kept}});
}

} // namespace

status_t lower_group_norm(const op_t &op, request_t &request) {
    group_normalization_desc_t desc{};
    desc.groups = op.attr<int64_t>(dnnl_graph_op_attr_groups);
    KILN_TRY(bind_forward(op, request, desc));
    const bool wants_statistics = output_of(op, "mean") || output_of(op, "variance");
    desc.prop_kind = wants_statistics ? dnnl_forward_training : dnnl_forward_inference;
    KILN_TRY(write_floats(op, request, "mean", DNNL_ARG_MEAN));
    KILN_TRY(write_floats(op, request, "variance", DNNL_ARG_VARIANCE));
    const size_t bytes = static_cast<size_t>(desc.src.dims[0] * desc.groups) * sizeof(float);
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        if (wants_statistics && !request.arguments.contains(arg))
            request.arguments[arg] = request.program().temporary(bytes);
    request.desc = desc;
    return dnnl_success;
}

status_t lower_batch_norm_inference(const op_t &op, request_t &request) {
    batch_normalization_desc_t desc{};
    desc.prop_kind = dnnl_forward_inference;
    desc.flags = dnnl_use_global_stats;
    KILN_TRY(bind_forward(op, request, desc));
    KILN_TRY(read_floats(op, request, "mean", DNNL_ARG_MEAN));
    KILN_TRY(read_floats(op, request, "variance", DNNL_ARG_VARIANCE));
    request.desc = desc;
    return dnnl_success;
}

status_t lower_batch_norm_training(const op_t &op, request_t &request) {
    // oneDNN's value if the attribute is not set.
    constexpr float default_momentum = 0.5f;
    batch_normalization_desc_t desc{};
    desc.prop_kind = dnnl_forward_training;
    KILN_TRY(bind_forward(op, request, desc));
    KILN_TRY(write_floats(op, request, "batch_mean", DNNL_ARG_MEAN));
    KILN_TRY(write_floats(op, request, "batch_variance", DNNL_ARG_VARIANCE));
    const float momentum = op.has_attr(dnnl_graph_op_attr_momentum)
                                   ? op.attr<float>(dnnl_graph_op_attr_momentum)
                                   : default_momentum;
    struct statistic_t {
        const char *previous, *running;
        int arg;
    };
    for (const statistic_t &statistic : {statistic_t{"mean", "running_mean", DNNL_ARG_MEAN},
                 statistic_t{"variance", "running_variance", DNNL_ARG_VARIANCE}}) {
        const logical_tensor_t *const previous = input_of(op, statistic.previous);
        const logical_tensor_t *const running = output_of(op, statistic.running);
        const value_t batch = request.arguments[statistic.arg];
        request.then([=, &request] {
            return update_running(request, *previous, batch, *running, momentum);
        });
    }
    request.desc = desc;
    return dnnl_success;
}

status_t lower_batch_norm_backward(const op_t &op, request_t &request) {
    batch_normalization_desc_t desc{};
    desc.epsilon = op.attr<float>(dnnl_graph_op_attr_epsilon);
    request.view = image_view(op, request);
    request.result = DNNL_ARG_DIFF_SRC;
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    KILN_TRY(request.read(DNNL_ARG_DIFF_DST, op.inputs[1], desc.diff_dst.edit()));
    desc.diff_src = desc.src;
    if (output_of(op, "diff_src"))
        KILN_TRY(request.write(DNNL_ARG_DIFF_SRC, op.outputs[0], desc.diff_src.edit()));
    KILN_TRY(read_floats(op, request, "mean", DNNL_ARG_MEAN));
    KILN_TRY(read_floats(op, request, "variance", DNNL_ARG_VARIANCE));
    // If the gradients of weights are not wanted, gamma is taken as 1.
    const bool wants_weights = output_of(op, "diff_gamma") != nullptr;
    desc.prop_kind = wants_weights ? dnnl_backward : dnnl_backward_data;
    if (wants_weights) {
        desc.flags = dnnl_use_scale | dnnl_use_shift;
        if (input_of(op, "gamma")) {
            KILN_TRY(read_floats(op, request, "gamma", DNNL_ARG_SCALE));
        } else {
            const auto channels = static_cast<size_t>(desc.src.dims[1]);
            request.arguments[DNNL_ARG_SCALE] =
                    request.program().literal(std::vector<float>(channels, 1.f));
        }
        KILN_TRY(write_floats(op, request, "diff_gamma", DNNL_ARG_DIFF_SCALE));
        KILN_TRY(write_floats(op, request, "diff_beta", DNNL_ARG_DIFF_SHIFT));
    }
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
