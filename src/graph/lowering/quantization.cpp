// SPDX-License-Identifier: Apache-2.0
// Quantization operations: reorders with scales and zero points.
#include "graph/lowering/quantization.hpp"

#include <algorithm>

#include "common/memory/data_type.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"

namespace kiln::graph {

bool is_per_channel(const op_t &op) {
    return op.attr<std::string>(dnnl_graph_op_attr_qtype) == "per_channel";
}

int scale_axis(const op_t &op, int ndims) {
    return is_per_channel(op) ? axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), ndims)
                              : -1;
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

bool has_groups(const op_t &op) {
    return op.attr<std::string>(dnnl_graph_op_attr_qtype) == "per_group";
}

status_t find_groups(const op_t &op, const memory_desc_t &values, const memory_desc_t &data,
        quantization_t &quantization) {
    quantization = {.data_type = values.data_type, .group_ndims = 2, .group_dims = {1, 1}};
    for (int d = 0; d < data.ndims; ++d) {
        if (values.dims[d] == 1) continue;
        const int of_last_two = d - (data.ndims - 2);
        const dim_t group = data.dims[d] / values.dims[d];
        KILN_REQUIRE(of_last_two >= 0 || group == 1, dnnl_unimplemented, "graph",
                "%s: there are groups along axis %d, which is not one of the last two",
                op.name.c_str(), d);
        quantization.mask |= 1 << d;
        if (of_last_two >= 0) quantization.group_dims[static_cast<size_t>(of_last_two)] = group;
    }
    return dnnl_success;
}

namespace {

constexpr size_t scales = 1, points = 2; // inputs of dynamic operations

/// Kernels take no integer of half a byte for several elements.
data_type_t type_of_points(const logical_tensor_t &lt) {
    return is_half_byte(lt.data_type) ? dnnl_s8 : lt.data_type;
}

/// Binds scales and zero points that are attributes of the operation.
void bind_literals(const op_t &op, int arg, int mask, request_t &request) {
    request.attr.scales[arg] = {.mask = mask};
    request.arguments[DNNL_ARG_ATTR_SCALES | arg] = request.program().literal(scales_of(op));
    const auto values = zero_points_of(op);
    if (values.empty()) return;
    request.attr.zero_points[arg] = {.mask = mask, .data_type = dnnl_s32};
    request.arguments[DNNL_ARG_ATTR_ZERO_POINTS | arg] =
            request.program().literal(std::vector<int32_t>(values.begin(), values.end()));
}

} // namespace

status_t bind_scales(const op_t &op, int arg, int mask, request_t &request) {
    if (op.has_attr(dnnl_graph_op_attr_scales)) {
        bind_literals(op, arg, mask, request);
        return dnnl_success;
    }
    KILN_TRY(request.read_floats(DNNL_ARG_ATTR_SCALES | arg, op.inputs[scales]));
    request.attr.scales[arg] = {.mask = mask};
    if (op.inputs.size() <= points) return dnnl_success;
    // There may be one zero point for several scales.
    const logical_tensor_t &lt = op.inputs[points];
    const bool is_single = number_of_elements(request.tensor(lt)) == 1;
    const data_type_t type = type_of_points(lt);
    request.attr.zero_points[arg] = {.mask = is_single ? 0 : mask, .data_type = type};
    return request.bind_vector(DNNL_ARG_ATTR_ZERO_POINTS | arg, lt, type, false);
}

namespace {

int mask_of(const op_t &op, const request_t &request) {
    const int axis = scale_axis(op, request.tensor(op.inputs[0]).ndims);
    return axis < 0 ? 0 : 1 << axis;
}

/// `side` is DNNL_ARG_TO or DNNL_ARG_FROM.
status_t lower_static(const op_t &op, request_t &request, int side) {
    KILN_TRY(lower_copy(op, request));
    const logical_tensor_t &src = request.tensor(op.inputs[0]);
    const int axis = scale_axis(op, src.ndims);
    KILN_REQUIRE(axis < 0 || scales_of(op).size() == static_cast<size_t>(src.dims[axis]),
            dnnl_unimplemented, "graph", "%s: there are %zu scales for %lld channels",
            op.name.c_str(), scales_of(op).size(), static_cast<long long>(src.dims[axis]));
    return bind_scales(op, side, mask_of(op, request), request);
}

status_t lower_groups(const op_t &op, request_t &request, int side) {
    const memory_desc_t data = request.program().md_of_tensor(op.inputs[0].id);
    const auto bind = [&](int kind, const logical_tensor_t &lt, quantization_map_t &map) {
        quantization_t &quantization = map[side];
        KILN_TRY(find_groups(op, request.program().md_of_tensor(lt.id), data, quantization));
        quantization.data_type = type_of_points(lt);
        return request.bind_vector(kind | side, lt, quantization.data_type, false);
    };
    KILN_TRY(bind(DNNL_ARG_ATTR_SCALES, op.inputs[scales], request.attr.scales));
    if (op.inputs.size() <= points) return dnnl_success;
    return bind(DNNL_ARG_ATTR_ZERO_POINTS, op.inputs[points], request.attr.zero_points);
}

status_t lower_dynamic(const op_t &op, request_t &request, int side) {
    KILN_TRY(lower_copy(op, request));
    if (has_groups(op)) return lower_groups(op, request, side);
    return bind_scales(op, side, mask_of(op, request), request);
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
