// SPDX-License-Identifier: Apache-2.0
// Quantizing operations as reorders with scales and zero points.

#include "graph/lowering/quantization.hpp"

#include <algorithm>

#include "graph/lowering/operations.hpp"

namespace kiln::graph {

int scale_axis(const op_t &op, int ndims) {
    if (op.attr<std::string>(dnnl_graph_op_attr_qtype) != "per_channel") return -1;
    const int64_t axis = op.attr<int64_t>(dnnl_graph_op_attr_axis);
    return static_cast<int>(axis < 0 ? axis + ndims : axis);
}

const std::vector<float> &scales_of(const op_t &op) {
    return op.attr<std::vector<float>>(dnnl_graph_op_attr_scales);
}

std::vector<int64_t> zero_points_of(const op_t &op) {
    if (!op.has_attr(dnnl_graph_op_attr_zps)) return {};
    const auto &points = op.attr<std::vector<int64_t>>(dnnl_graph_op_attr_zps);
    const bool are_zero =
            std::all_of(points.begin(), points.end(), [](int64_t point) { return point == 0; });
    return are_zero ? std::vector<int64_t>() : points;
}

namespace {

/// `side` is DNNL_ARG_TO or DNNL_ARG_FROM.
void bind_scales(request_t &request, int side, int mask, value_t scales) {
    request.attr.scales[side] = {.mask = mask};
    request.arguments[DNNL_ARG_ATTR_SCALES | side] = scales;
}

void bind_zero_points(
        request_t &request, int side, int mask, value_t points, data_type_t type = dnnl_s32) {
    request.attr.zero_points[side] = {.mask = mask, .data_type = type};
    request.arguments[DNNL_ARG_ATTR_ZERO_POINTS | side] = points;
}

int mask_of(const op_t &op, const request_t &request) {
    const int axis = scale_axis(op, request.tensor(op.inputs[0]).ndims);
    return axis < 0 ? 0 : 1 << axis;
}

status_t lower_static(const op_t &op, request_t &request, int side) {
    KILN_TRY(lower_copy(op, request));
    const int mask = mask_of(op, request);
    bind_scales(request, side, mask, request.program().literal(scales_of(op)));
    const auto points = zero_points_of(op);
    if (points.empty()) return dnnl_success;
    // As many as there are scales: one may stand for all.
    std::vector<int32_t> each(scales_of(op).size(), static_cast<int32_t>(points[0]));
    if (points.size() == each.size()) std::copy(points.begin(), points.end(), each.begin());
    bind_zero_points(request, side, mask, request.program().literal(each));
    return dnnl_success;
}

status_t lower_dynamic(const op_t &op, request_t &request, int side) {
    constexpr size_t scales = 1, points = 2;
    KILN_TRY(lower_copy(op, request));
    const int mask = mask_of(op, request);
    KILN_TRY(request.read_floats(DNNL_ARG_ATTR_SCALES | side, op.inputs[scales]));
    request.attr.scales[side] = {.mask = mask};
    if (op.inputs.size() <= points) return dnnl_success;
    const logical_tensor_t &lt = op.inputs[points];
    bind_zero_points(request, side, mask, request.program().value_of(lt.id), lt.data_type);
    return dnnl_success;
}

} // namespace

status_t lower_quantize(const op_t &op, request_t &request) {
    return lower_static(op, request, DNNL_ARG_TO);
}

status_t lower_dequantize(const op_t &op, request_t &request) {
    return lower_static(op, request, DNNL_ARG_FROM);
}

status_t lower_dynamic_quantize(const op_t &op, request_t &request) {
    return lower_dynamic(op, request, DNNL_ARG_TO);
}

status_t lower_dynamic_dequantize(const op_t &op, request_t &request) {
    return lower_dynamic(op, request, DNNL_ARG_FROM);
}

} // namespace kiln::graph
