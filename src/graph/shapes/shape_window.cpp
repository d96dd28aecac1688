// SPDX-License-Identifier: Apache-2.0
// Shapes of operations with a sliding window: convolution and pooling.
#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

using s64_list_t = std::vector<int64_t>;

namespace {

/// The dims of a data tensor, independent of data_format.
struct data_shape_t {
    dim_t batch = 0;
    dim_t channels = 0;
    shape_t space;
};

data_shape_t data_shape(const op_t &op, std::span<const dim_t> dims) {
    if (has_channels_second(op)) return {dims[0], dims[1], {dims.begin() + 2, dims.end()}};
    return {dims[0], dims.back(), {dims.begin() + 1, dims.end() - 1}};
}

shape_t ordered(const op_t &op, const data_shape_t &data) {
    shape_t dims = data.space;
    dims.insert(has_channels_second(op) ? dims.begin() : dims.end(), data.channels);
    dims.insert(dims.begin(), data.batch);
    return dims;
}

/// The dims of weights, independent of weights_format.
struct weights_shape_t {
    dim_t outputs = 0;
    dim_t inputs = 0;
    shape_t space;
};

weights_shape_t weights_shape(const op_t &op, std::span<const dim_t> dims) {
    const auto &format = op.attr<std::string>(dnnl_graph_op_attr_weights_format);
    const bool space_is_last = format.back() == 'X';
    const auto channels = space_is_last ? dims.first(2) : dims.last(2);
    const auto space = space_is_last ? dims.subspan(2) : dims.first(dims.size() - 2);
    const bool outputs_are_first = format.find('O') < format.find('I');
    return {channels[outputs_are_first ? 0 : 1], channels[outputs_are_first ? 1 : 0],
            {space.begin(), space.end()}};
}

// ---- windows

/// The window along one spatial axis.
struct window_t {
    dim_t stride = 1, dilation = 1, kernel = 1;
    dim_t pad = 0; ///< of both sides, added
    dim_t extent() const { return (kernel - 1) * dilation + 1; }
};

enum class pad_t { given, valid, same };

pad_t padding_of(const op_t &op) {
    const auto &name = op.attr<std::string>(dnnl_graph_op_attr_auto_pad);
    if (name == "VALID" || name == "valid") return pad_t::valid;
    return name == "None" || name == "none" ? pad_t::given : pad_t::same;
}

/// The entry of an attribute's list for an axis. The list may be shorter than the number of axes,
/// or longer: oneDNN writes DNNL_MAX_NDIMS entries into files.
dim_t entry(const op_t &op, op_attr_t name, size_t axis, dim_t otherwise) {
    if (!op.has_attr(name)) return otherwise;
    const auto &list = op.attr<s64_list_t>(name);
    return axis < list.size() ? list[axis] : otherwise;
}

status_t check_lists(const op_t &op, size_t axes) {
    for (op_attr_t name : {dnnl_graph_op_attr_strides, dnnl_graph_op_attr_dilations,
                 dnnl_graph_op_attr_pads_begin, dnnl_graph_op_attr_pads_end}) {
        if (!op.has_attr(name)) continue;
        const size_t count = op.attr<s64_list_t>(name).size();
        const bool is_pad =
                name == dnnl_graph_op_attr_pads_begin || name == dnnl_graph_op_attr_pads_end;
        const bool is_default = name == dnnl_graph_op_attr_dilations && count == DNNL_MAX_NDIMS;
        KILN_REQUIRE_SHAPE(count == axes || (is_pad && count == 0) || is_default,
                "%s has %zu entries, and there are %zu spatial axes", name_of(name), count, axes);
    }
    return dnnl_success;
}

window_t window(const op_t &op, size_t axis, dim_t kernel) {
    return {.stride = entry(op, dnnl_graph_op_attr_strides, axis, 1),
            .dilation = entry(op, dnnl_graph_op_attr_dilations, axis, 1),
            .kernel = kernel,
            .pad = entry(op, dnnl_graph_op_attr_pads_begin, axis, 0)
                   + entry(op, dnnl_graph_op_attr_pads_end, axis, 0)};
}

/// Counts the positions of a window on an axis of `length`.
status_t count_positions(
        const op_t &op, const window_t &window, dim_t length, bool rounds_up, dim_t &positions) {
    dim_t pad = window.pad;
    if (padding_of(op) == pad_t::valid) pad = 0;
    if (padding_of(op) == pad_t::same) {
        const dim_t rest = length % window.stride;
        pad = std::max<dim_t>(window.extent() - (rest == 0 ? window.stride : rest), 0);
    }
    const dim_t room = length + pad - window.extent();
    KILN_REQUIRE_SHAPE(room >= 0, "a window of %lld is larger than the padded axis of %lld",
            static_cast<long long>(window.extent()), static_cast<long long>(length + pad));
    positions = (room + (rounds_up ? window.stride - 1 : 0)) / window.stride + 1;
    return dnnl_success;
}

status_t slide(const op_t &op, const shape_t &kernel, bool rounds_up, shape_t &space) {
    KILN_REQUIRE_SHAPE(kernel.size() == space.size(),
            "the kernel has %zu dims, and there are %zu spatial axes", kernel.size(), space.size());
    KILN_TRY(check_lists(op, space.size()));
    for (size_t i = 0; i < space.size(); ++i)
        KILN_TRY(count_positions(op, window(op, i, kernel[i]), space[i], rounds_up, space[i]));
    return dnnl_success;
}

status_t require_space(const op_t &op, const logical_tensor_t &lt) {
    KILN_REQUIRE_SHAPE(lt.ndims >= 3, "src has %d dims, not 3 or more", lt.ndims);
    return dnnl_success;
}

/// Sets the shape that an attribute gives. A list of zeros counts as absent.
status_t set_shape_from_attribute(const op_t &op, op_attr_t name, logical_tensor_t &output) {
    if (op.has_attr(name)) {
        const auto &shape = op.attr<s64_list_t>(name);
        const bool is_present = std::ranges::any_of(shape, [](int64_t dim) { return dim != 0; });
        if (is_present) return set_output_shape(op, output, shape);
    }
    KILN_REQUIRE(has_known_shape(output), dnnl_unimplemented, "graph",
            "%s: the shape of its output depends on data and must be given", name_of(op.kind));
    return set_output_shape(op, output, shape_of(output));
}

} // namespace

// ---- pooling

status_t infer_pooling(const op_t &op, inputs_t inputs, outputs_t outputs) {
    KILN_TRY(require_space(op, inputs[0]));
    data_shape_t data = data_shape(op, dims_of(inputs[0]));
    const bool rounds_up = op.attr<std::string>(dnnl_graph_op_attr_rounding_type) == "ceil";
    KILN_TRY(slide(op, op.attr<s64_list_t>(dnnl_graph_op_attr_kernel), rounds_up, data.space));
    return set_output_shape(op, outputs[0], ordered(op, data));
}

status_t infer_avg_pool_backward(const op_t &op, inputs_t, outputs_t outputs) {
    return set_shape_from_attribute(op, dnnl_graph_op_attr_src_shape, outputs[0]);
}

// ---- convolution

namespace {

/// The data and weights of a convolution, which have the same number of dims.
struct convolution_shapes_t {
    data_shape_t data;
    weights_shape_t weights;
    dim_t groups = 1;
};

status_t find_shapes(const op_t &op, inputs_t inputs, convolution_shapes_t &shapes) {
    KILN_TRY(require_space(op, inputs[0]));
    KILN_REQUIRE_SHAPE(inputs[0].ndims == inputs[1].ndims,
            "weights have %d dims, and the data has %d", inputs[1].ndims, inputs[0].ndims);
    shapes = {data_shape(op, dims_of(inputs[0])), weights_shape(op, dims_of(inputs[1])),
            op.attr<int64_t>(dnnl_graph_op_attr_groups)};
    return dnnl_success;
}

/// A forward convolution, which sums over the channels `from` and yields the channels `to`.
status_t infer_slide(const op_t &op, inputs_t inputs, outputs_t outputs,
        dim_t weights_shape_t::*from, dim_t weights_shape_t::*to) {
    convolution_shapes_t shapes;
    KILN_TRY(find_shapes(op, inputs, shapes));
    auto &[data, weights, groups] = shapes;
    KILN_REQUIRE_SHAPE(data.channels == groups * weights.*from,
            "the data has %lld channels, not %lld (weights) times %lld (groups)",
            static_cast<long long>(data.channels), static_cast<long long>(weights.*from),
            static_cast<long long>(groups));
    KILN_TRY(slide(op, weights.space, false, data.space));
    data.channels = weights.*to;
    return set_output_shape(op, outputs[0], ordered(op, data));
}

} // namespace

status_t infer_convolution(const op_t &op, inputs_t inputs, outputs_t outputs) {
    return infer_slide(op, inputs, outputs, &weights_shape_t::inputs, &weights_shape_t::outputs);
}

status_t infer_conv_transpose_backward_data(const op_t &op, inputs_t inputs, outputs_t outputs) {
    return infer_slide(op, inputs, outputs, &weights_shape_t::outputs, &weights_shape_t::inputs);
}

status_t infer_conv_transpose(const op_t &op, inputs_t inputs, outputs_t outputs) {
    convolution_shapes_t shapes;
    KILN_TRY(find_shapes(op, inputs, shapes));
    auto &[data, weights, groups] = shapes;
    KILN_REQUIRE_SHAPE(data.channels == weights.inputs,
            "the data has %lld channels, not %lld (weights)", static_cast<long long>(data.channels),
            static_cast<long long>(weights.inputs));
    KILN_TRY(check_lists(op, data.space.size()));
    for (size_t i = 0; i < data.space.size(); ++i) {
        const window_t w = window(op, i, weights.space[i]);
        const pad_t padding = padding_of(op);
        const dim_t pad = padding == pad_t::given   ? w.pad
                          : padding == pad_t::valid ? 0
                                                    : std::max<dim_t>(w.extent() - w.stride, 0);
        data.space[i] = w.stride * (data.space[i] - 1) + w.extent() - pad
                        + entry(op, dnnl_graph_op_attr_output_padding, i, 0);
    }
    data.channels = weights.outputs * groups;
    return set_output_shape(op, outputs[0], ordered(op, data));
}

status_t infer_convolution_backward_data(const op_t &op, inputs_t, outputs_t outputs) {
    return set_shape_from_attribute(op, dnnl_graph_op_attr_dst_shape, outputs[0]);
}

status_t infer_convolution_backward_weights(const op_t &op, inputs_t, outputs_t outputs) {
    return set_shape_from_attribute(op, dnnl_graph_op_attr_weights_shape, outputs[0]);
}

} // namespace kiln::graph
