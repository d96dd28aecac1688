// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/row_norm_operands.hpp"

#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/schema/schema.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

int norm_axis(const op_t &op, int ndims) {
    return axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_begin_norm_axis), ndims);
}

view_t rows_view(const op_t &op, const request_t &request) {
    const int ndims = request.tensor(op.inputs[0]).ndims;
    const int axis = norm_axis(op, ndims);
    return axis == ndims - 1 && axis > 0 ? view_t::same(ndims) : view_t::joined(ndims, axis);
}

layer_normalization_desc_t row_norm_desc(const op_t &op) {
    layer_normalization_desc_t desc{};
    desc.epsilon = op.attr<float>(dnnl_graph_op_attr_epsilon);
    desc.scale_shift_type = desc.diff_scale_shift_type = dnnl_f32;
    if (op.kind == dnnl_graph_op_rms_norm) desc.flags |= dnnl_rms_norm;
    return desc;
}

// ---- statistics

namespace {

/// The view of statistics: the axes of src without the normalized one. Further axes of the tensor
/// have extent 1.
std::optional<memory_desc_t> statistics_view(const memory_desc_t &src, const memory_desc_t &md) {
    return reshaped(md, src.ndims - 1, src.dims);
}

} // namespace

memory_desc_t dense_statistics(const memory_desc_t &src, data_type_t type) {
    return dense_md(type, src.ndims - 1, src.dims);
}

status_t bind_statistics(
        const op_t &op, request_t &request, layer_normalization_desc_t &desc, bool are_outputs) {
    program_builder_t &program = request.program();
    desc.stat = zero_md;
    for (const auto &[name, arg] :
            {std::pair{"mean", DNNL_ARG_MEAN}, std::pair{"variance", DNNL_ARG_VARIANCE}}) {
        const auto *const lt = are_outputs ? output_of(op, name) : input_of(op, name);
        if (lt == nullptr) continue;
        const memory_desc_t own = program.md_of_tensor(lt->id);
        const value_t value = program.value_of(lt->id);
        const auto seen = statistics_view(desc.src, own);
        if (is_zero(desc.stat))
            desc.stat = seen ? *seen : dense_statistics(desc.src, own.data_type);
        request.arguments[arg] = value;
        if (seen && *seen == desc.stat) continue;
        const auto copy_md = reshaped(desc.stat, own.ndims, own.dims);
        KILN_REQUIRE(
                copy_md, dnnl_unimplemented, "graph", "the layout of %s is not supported", name);
        KILN_TRY(request.bind_copy(arg, value, own, *copy_md, are_outputs));
    }
    // If only one is wanted, the other is a temporary.
    if (are_outputs && !is_zero(desc.stat))
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
            if (!request.arguments.contains(arg))
                request.arguments[arg] = program.temporary(byte_size(desc.stat));
    return dnnl_success;
}

// ---- gamma and beta

bool is_same_for_rows(const shape_t &weight, int axis) {
    return std::all_of(
            weight.begin(), weight.begin() + axis, [](dim_t extent) { return extent == 1; });
}

shape_t row_shape(const logical_tensor_t &src, int axis) {
    shape_t shape = shape_of(src);
    std::fill_n(shape.begin(), axis, 1);
    return shape;
}

namespace {

/// Replaces the weight by a dense copy; `own` is the descriptor that is copied.
status_t copy_weight(request_t &request, const memory_desc_t &own, weight_t &weight) {
    program_builder_t &program = request.program();
    const value_t copy = program.temporary(byte_size(weight.md));
    KILN_TRY(program.copy(weight.value, own, copy, dense_md(own.data_type, own.ndims, own.dims)));
    weight.value = copy;
    return dnnl_success;
}

} // namespace

status_t read_weight(request_t &request, const logical_tensor_t &lt, const logical_tensor_t &src,
        int axis, weight_t &weight) {
    program_builder_t &program = request.program();
    const memory_desc_t own = program.md_of_tensor(lt.id);
    const auto shape = row_weight_shape(dims_of(program.tensor(lt.id)), dims_of(src), axis);
    KILN_REQUIRE(
            shape, dnnl_invalid_shape, "graph", "the shape of tensor %zu does not fit src", lt.id);
    weight.value = program.value_of(lt.id);
    const auto seen = reshaped(own, src.ndims, shape->data());
    weight.md = seen ? *seen : dense_md(own.data_type, src.ndims, shape->data());
    return seen ? dnnl_success : copy_weight(request, own, weight);
}

status_t expand_weight(request_t &request, const shape_t &shape, weight_t &weight) {
    const auto ndims = static_cast<int>(shape.size());
    if (std::equal(shape.begin(), shape.end(), weight.md.dims)) return dnnl_success;
    if (!is_plain(weight.md)) {
        const memory_desc_t blocked = weight.md;
        weight.md = dense_md(blocked.data_type, ndims, blocked.dims);
        KILN_TRY(copy_weight(request, blocked, weight));
    }
    const auto expanded = broadcast_to(weight.md, ndims, shape.data());
    KILN_REQUIRE(expanded, dnnl_unimplemented, "graph", "a weight cannot be broadcast");
    weight.md = dense_md(weight.md.data_type, ndims, shape.data());
    return copy_weight(request, *expanded, weight);
}

status_t fit_weight_to_view(
        request_t &request, const logical_tensor_t &src, int axis, weight_t &weight) {
    const dim_t *const dims = weight.md.dims;
    const bool is_single =
            std::all_of(dims + axis, dims + src.ndims, [](dim_t extent) { return extent == 1; });
    shape_t shape(dims, dims + src.ndims);
    if (!is_single) std::copy(src.dims + axis, src.dims + src.ndims, shape.begin() + axis);
    KILN_TRY(expand_weight(request, shape, weight));
    if (request.view(weight.md)) return dnnl_success;
    const memory_desc_t own = weight.md;
    weight.md = dense_md(own.data_type, src.ndims, own.dims);
    return copy_weight(request, own, weight);
}

status_t bind_weight(
        request_t &request, int arg, const weight_t &weight, dim_t cols, bool is_output) {
    const memory_desc_t &own = weight.md;
    request.arguments[arg] = weight.value;
    if (reshaped(own, 1, &cols) == vector_md(own.data_type, cols)) return dnnl_success;
    const memory_desc_t dense = dense_md(own.data_type, own.ndims, own.dims);
    return request.bind_copy(arg, weight.value, own, dense, is_output);
}

} // namespace kiln::graph
