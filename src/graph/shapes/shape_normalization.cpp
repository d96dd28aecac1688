// SPDX-License-Identifier: Apache-2.0
// Shapes of normalizations and softmax: data, statistics, weights and their gradients.
#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

namespace {

/// Checks diff_dst, and sets dst or diff_src: both have the shape of src.
status_t infer_data(const op_t &op, inputs_t inputs, outputs_t outputs) {
    if (const int position = find_input(op, "diff_dst"); position >= 0)
        KILN_REQUIRE_SHAPE(same_shape(inputs[position], inputs[0]),
                "the shape of diff_dst is %s, not that of src (%s)",
                to_string(inputs[position]).c_str(), to_string(inputs[0]).c_str());
    return set_output_shape(op, outputs[0], shape_of(inputs[0]));
}

/// Sets the shape of the outputs with these names; those that the operation does not have are
/// skipped.
status_t set_named_shapes(const op_t &op, outputs_t outputs,
        std::initializer_list<const char *> names, const shape_t &shape) {
    for (const char *name : names)
        if (const int position = find_output(op, name); position >= 0)
            KILN_TRY(set_output_shape(op, outputs[position], shape));
    return dnnl_success;
}

// ---- layer and RMS normalization

/// src[:axis], followed by as many ones as the given tensor's number of dims asks for, up to
/// `ndims` dims in all.
shape_t statistics_shape(const shape_t &kept, const logical_tensor_t &given, size_t ndims) {
    shape_t shape = kept;
    if (has_known_ndims(given)) {
        const auto asked = static_cast<size_t>(given.ndims);
        shape.resize(std::clamp(asked, kept.size(), ndims), 1);
    }
    return shape;
}

bool has_statistics_shape(const logical_tensor_t &given, const shape_t &kept, size_t ndims) {
    return shape_of(given) == statistics_shape(kept, given, ndims);
}

status_t check_layer_norm_operands(const op_t &op, inputs_t inputs, const shape_t &kept) {
    const auto src = dims_of(inputs[0]);
    for (const char *name : {"mean", "variance"}) {
        const int position = find_input(op, name);
        if (position < 0) continue;
        const logical_tensor_t &given = inputs[position];
        KILN_REQUIRE_SHAPE(has_statistics_shape(given, kept, src.size()),
                "the shape %s of %s does not fit src of %s, whose statistics have shape %s%s",
                to_string(given).c_str(), name, to_string(src).c_str(), to_string(kept).c_str(),
                hint_of_form(op));
    }
    for (const char *name : {"gamma", "beta"}) {
        const int position = find_input(op, name);
        if (position < 0) continue;
        KILN_REQUIRE_SHAPE(
                row_weight_shape(dims_of(inputs[position]), src, static_cast<int>(kept.size())),
                "the shape %s of %s cannot be broadcast to src of %s and is no vector of the "
                "elements that are normalized together",
                to_string(inputs[position]).c_str(), name, to_string(src).c_str());
    }
    return dnnl_success;
}

/// The dims in front of the normalized ones.
status_t kept_dims(const op_t &op, const logical_tensor_t &src, shape_t &kept) {
    const int axis =
            axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_begin_norm_axis), src.ndims);
    KILN_REQUIRE_SHAPE(axis >= 0, "begin_norm_axis is out of range for src of %d dims", src.ndims);
    kept.assign(src.dims, src.dims + axis);
    return dnnl_success;
}

/// Checks the operands and sets `kept` to the dims in front of the normalized ones.
status_t find_kept_dims(const op_t &op, inputs_t inputs, shape_t &kept) {
    KILN_TRY(kept_dims(op, inputs[0], kept));
    return check_layer_norm_operands(op, inputs, kept);
}

} // namespace

std::optional<shape_t> row_weight_shape(
        std::span<const dim_t> weight, std::span<const dim_t> src, int axis) {
    shape_t shape(src.size(), 1);
    const auto normalized = src.subspan(static_cast<size_t>(axis));
    if (is_broadcastable(weight, src))
        std::ranges::copy(weight, shape.end() - static_cast<ptrdiff_t>(weight.size()));
    else if (weight.size() == 1 && weight[0] == product_of(normalized))
        std::ranges::copy(normalized, shape.begin() + axis);
    else
        return std::nullopt;
    return shape;
}

const char *hint_of_form(const op_t &op) {
    const bool may_be_misread =
            op.kind == dnnl_graph_op_layer_norm_backward && op.inputs.size() == 4;
    return may_be_misread ? "; four inputs are src, diff_dst, mean and variance unless use_affine "
                            "is set to true"
                          : "";
}

status_t check_layer_norm_form(const op_t &op, inputs_t inputs) {
    if (inputs.size() != 4 || find_input(op, "gamma") < 0) return dnnl_success;
    shape_t kept;
    KILN_TRY(kept_dims(op, inputs[0], kept));
    const auto src = dims_of(inputs[0]);
    KILN_REQUIRE_SHAPE(!has_statistics_shape(inputs[2], kept, src.size())
                               || !has_statistics_shape(inputs[3], kept, src.size()),
            "use_affine is true and inputs 2 and 3 of four have the shape %s of mean and variance; "
            "pass src, diff_dst and gamma for statistics that are computed, or src, diff_dst, "
            "mean, variance and gamma",
            to_string(inputs[2]).c_str());
    return dnnl_success;
}

status_t infer_layer_norm(const op_t &op, inputs_t inputs, outputs_t outputs) {
    shape_t kept;
    KILN_TRY(find_kept_dims(op, inputs, kept));
    KILN_TRY(infer_data(op, inputs, outputs));
    for (logical_tensor_t &statistic : outputs.subspan(1))
        KILN_TRY(set_output_shape(
                op, statistic, statistics_shape(kept, statistic, dims_of(inputs[0]).size())));
    return dnnl_success;
}

status_t infer_layer_norm_backward(const op_t &op, inputs_t inputs, outputs_t outputs) {
    shape_t kept;
    KILN_TRY(check_layer_norm_form(op, inputs));
    KILN_TRY(find_kept_dims(op, inputs, kept));
    KILN_TRY(infer_data(op, inputs, outputs));
    const int gamma = find_input(op, "gamma"), beta = find_input(op, "beta");
    if (gamma < 0) return dnnl_success;
    KILN_TRY(set_named_shapes(op, outputs, {"diff_gamma"}, shape_of(inputs[gamma])));
    return set_named_shapes(op, outputs, {"diff_beta"}, shape_of(inputs[beta < 0 ? gamma : beta]));
}

// ---- channels

namespace {

/// Finds the number of channels, and checks that weights and statistics have as many elements.
status_t find_channels(const op_t &op, inputs_t inputs, dim_t &channels) {
    const logical_tensor_t &src = inputs[0];
    KILN_REQUIRE_SHAPE(src.ndims >= 2, "src has %d dims, not 2 or more", src.ndims);
    channels = src.dims[channel_axis(op, src.ndims)];
    for (const char *name : {"gamma", "beta", "mean", "variance"}) {
        const int position = find_input(op, name);
        if (position < 0) continue;
        const logical_tensor_t &given = inputs[position];
        KILN_REQUIRE_SHAPE(given.ndims == 1 && given.dims[0] == channels,
                "the shape of %s is %s, not %lld (channels)", name, to_string(given).c_str(),
                static_cast<long long>(channels));
    }
    return dnnl_success;
}

} // namespace

status_t infer_group_norm(const op_t &op, inputs_t inputs, outputs_t outputs) {
    dim_t channels = 0;
    KILN_TRY(find_channels(op, inputs, channels));
    const int64_t groups = op.attr<int64_t>(dnnl_graph_op_attr_groups);
    KILN_REQUIRE_SHAPE(channels % groups == 0, "%lld channels are not a multiple of %lld groups",
            static_cast<long long>(channels), static_cast<long long>(groups));
    KILN_TRY(infer_data(op, inputs, outputs));
    return set_named_shapes(op, outputs, {"mean", "variance"}, {inputs[0].dims[0], groups});
}

status_t infer_batch_norm(const op_t &op, inputs_t inputs, outputs_t outputs) {
    dim_t channels = 0;
    KILN_TRY(find_channels(op, inputs, channels));
    KILN_TRY(infer_data(op, inputs, outputs));
    return set_named_shapes(op, outputs,
            {"running_mean", "running_variance", "batch_mean", "batch_variance", "diff_gamma",
                    "diff_beta"},
            {channels});
}

// ---- softmax

status_t infer_softmax(const op_t &op, inputs_t inputs, outputs_t outputs) {
    shape_t shape = shape_of(inputs[0]);
    KILN_TRY(set_output_shape(op, outputs[0], shape));
    if (outputs.size() == 1) return dnnl_success;
    const int axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), inputs[0].ndims);
    KILN_REQUIRE_SHAPE(
            axis >= 0, "attribute axis is out of range for src of %d dims", inputs[0].ndims);
    shape[static_cast<size_t>(axis)] = 1;
    return set_output_shape(op, outputs[1], shape);
}

} // namespace kiln::graph
