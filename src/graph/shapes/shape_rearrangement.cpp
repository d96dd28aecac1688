// SPDX-License-Identifier: Apache-2.0
// Shapes of operations that change the number or the order of elements, and of matrix products.
#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

using s64_list_t = std::vector<int64_t>;

namespace {

/// For an output whose shape is the data of an input: the program has to give it.
status_t require_given(const op_t &op, outputs_t outputs) {
    KILN_REQUIRE(has_known_shape(outputs[0]), dnnl_unimplemented, "graph",
            "%s: the shape of its output depends on data and must be given", name_of(op.kind));
    return dnnl_success;
}

} // namespace

status_t infer_reduction(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &src = inputs[0];
    if (inputs.size() == 2) return require_given(op, outputs);
    unsigned reduced = 0;
    for (int64_t axis : op.attr<s64_list_t>(dnnl_graph_op_attr_axes)) {
        const int position = axis_from_front(axis, src.ndims);
        KILN_REQUIRE_SHAPE(position >= 0 && (reduced >> position & 1) == 0,
                "axis %lld of %d is out of range or repeated", static_cast<long long>(axis),
                src.ndims);
        reduced |= 1u << position;
    }
    const bool keeps_dims = op.attr<bool>(dnnl_graph_op_attr_keep_dims);
    shape_t shape;
    for (int d = 0; d < src.ndims; ++d) {
        const bool is_kept = (reduced >> d & 1) == 0;
        if (is_kept || keeps_dims) shape.push_back(is_kept ? src.dims[d] : 1);
    }
    return set_output_shape(op, outputs[0], shape);
}

status_t infer_reshape(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &src = inputs[0];
    shape_t shape = op.attr<s64_list_t>(dnnl_graph_op_attr_shape);
    if (op.attr<bool>(dnnl_graph_op_attr_special_zero))
        for (size_t d = 0; d < shape.size(); ++d) {
            if (shape[d] != 0) continue;
            KILN_REQUIRE_SHAPE(d < dims_of(src).size(),
                    "dim %zu of shape is 0 (copied from src), and src has no such axis", d);
            shape[d] = src.dims[d];
        }
    const dim_t elements = number_of_elements(src);
    if (const auto open = std::ranges::find(shape, -1); open != shape.end()) {
        *open = 1;
        const dim_t rest = product_of(shape);
        KILN_REQUIRE_SHAPE(rest > 0,
                "%lld elements do not determine the dim -1 of shape with the others %s",
                static_cast<long long>(elements), to_string(shape).c_str());
        *open = elements / rest;
    }
    KILN_REQUIRE_SHAPE(std::ranges::count(shape, -1) == 0, "more than one dim of shape is -1");
    KILN_REQUIRE_SHAPE(product_of(shape) == elements,
            "src has %lld elements, which cannot be reshaped to %s",
            static_cast<long long>(elements), to_string(shape).c_str());
    return set_output_shape(op, outputs[0], shape);
}

std::vector<int64_t> order_of_axes(const op_t &op, int ndims) {
    s64_list_t order = op.attr<s64_list_t>(dnnl_graph_op_attr_order);
    if (order.empty())
        for (int d = ndims; d-- > 0;) order.push_back(d);
    return order;
}

status_t infer_transpose(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &src = inputs[0];
    const s64_list_t order = order_of_axes(op, src.ndims);
    KILN_REQUIRE_SHAPE(order.size() == dims_of(src).size(), "order has %zu axes, and src has %d",
            order.size(), src.ndims);
    shape_t shape;
    unsigned seen = 0;
    for (int64_t axis : order) {
        const int position = axis_from_front(axis, src.ndims);
        KILN_REQUIRE_SHAPE(position >= 0 && (seen >> position & 1) == 0,
                "axis %lld of %d is out of range or repeated", static_cast<long long>(axis),
                src.ndims);
        seen |= 1u << position;
        shape.push_back(src.dims[position]);
    }
    return set_output_shape(op, outputs[0], shape);
}

status_t infer_concat(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &first = inputs[0];
    const int axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), first.ndims);
    KILN_REQUIRE_SHAPE(axis >= 0, "attribute axis is out of range for src of %d dims", first.ndims);
    shape_t shape = shape_of(first);
    for (const logical_tensor_t &next : inputs.subspan(1)) {
        logical_tensor_t like_first = next;
        if (axis < next.ndims) like_first.dims[axis] = first.dims[axis];
        KILN_REQUIRE_SHAPE(same_shape(like_first, first),
                "shapes %s and %s differ in more than axis %d", to_string(first).c_str(),
                to_string(next).c_str(), axis);
        shape[static_cast<size_t>(axis)] += next.dims[axis];
    }
    return set_output_shape(op, outputs[0], shape);
}

status_t infer_interpolation(const op_t &op, inputs_t inputs, outputs_t outputs) {
    const logical_tensor_t &src = inputs[0];
    const auto numbers = [&]<typename T>(op_attr_t name, T) {
        return op.has_attr(name) ? op.attr<std::vector<T>>(name) : std::vector<T>();
    };
    const auto sizes = numbers(dnnl_graph_op_attr_sizes, int64_t());
    const auto scales = numbers(dnnl_graph_op_attr_scales, float());
    if (sizes.empty() && scales.empty()) return require_given(op, outputs);
    const size_t spatial = std::max(sizes.size(), scales.size());
    KILN_REQUIRE_SHAPE(src.ndims == static_cast<int>(spatial) + 2,
            "there are %zu sizes or scales for src of %d dims", spatial, src.ndims);
    shape_t shape = shape_of(src);
    const size_t first = channel_axis(op, src.ndims) == 1 && src.ndims > 2 ? 2 : 1;
    for (size_t i = 0; i < spatial; ++i) {
        dim_t &dim = shape[first + i];
        dim = sizes.empty() ? static_cast<dim_t>(static_cast<float>(dim) * scales[i]) : sizes[i];
    }
    return set_output_shape(op, outputs[0], shape);
}

// ---- matrix products

namespace {

/// The shape of a factor after its transposition.
shape_t matrix_shape(const logical_tensor_t &lt, bool is_transposed) {
    shape_t shape = shape_of(lt);
    if (is_transposed && shape.size() > 1) std::iter_swap(shape.end() - 2, shape.end() - 1);
    return shape;
}

} // namespace

status_t infer_matmul(const op_t &op, inputs_t inputs, outputs_t outputs) {
    shape_t src = matrix_shape(inputs[0], op.attr<bool>(dnnl_graph_op_attr_transpose_a));
    shape_t weights = matrix_shape(inputs[1], op.attr<bool>(dnnl_graph_op_attr_transpose_b));
    KILN_REQUIRE_SHAPE(!src.empty() && !weights.empty(), "src and weights must have 1 dim or more");
    // As src a vector is a row, as weights it is a column. The dim added here is not in dst.
    const bool is_row = src.size() == 1;
    const bool is_column = weights.size() == 1;
    if (is_row) src.insert(src.begin(), 1);
    if (is_column) weights.push_back(1);
    KILN_REQUIRE_SHAPE(src.back() == weights.end()[-2], "the inner dims of %s and %s differ",
            to_string(inputs[0]).c_str(), to_string(inputs[1]).c_str());
    auto shape = broadcast({src.data(), src.size() - 2}, {weights.data(), weights.size() - 2});
    KILN_REQUIRE_SHAPE(shape, "the batch dims of %s and %s cannot be broadcast to each other",
            to_string(inputs[0]).c_str(), to_string(inputs[1]).c_str());
    if (!is_row) shape->push_back(src.end()[-2]);
    if (!is_column) shape->push_back(weights.back());
    KILN_REQUIRE_SHAPE(inputs.size() < 3 || is_broadcastable(dims_of(inputs[2]), *shape),
            "the shape %s of bias cannot be broadcast to %s", to_string(inputs[2]).c_str(),
            to_string(*shape).c_str());
    return set_output_shape(op, outputs[0], *shape);
}

} // namespace kiln::graph
