// SPDX-License-Identifier: Apache-2.0
// LayerNorm, RMSNorm and LayerNormBackward: layer normalization primitives in which the axes from
// begin_norm_axis on are joined into one.

#include "common/operations/layer_normalization_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// The first normalized axis.
int norm_axis(const op_t &op, int ndims) {
    return axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_begin_norm_axis), ndims);
}

view_t rows_view(const op_t &op, const request_t &request) {
    const int ndims = request.tensor(op.inputs[0]).ndims;
    const int axis = norm_axis(op, ndims);
    return axis == ndims - 1 && axis > 0 ? view_t::same(ndims) : view_t::joined(ndims, axis);
}

layer_normalization_desc_t common_desc(const op_t &op) {
    layer_normalization_desc_t desc{};
    desc.epsilon = op.attr<float>(dnnl_graph_op_attr_epsilon);
    desc.scale_shift_type = desc.diff_scale_shift_type = dnnl_f32;
    if (op.kind == dnnl_graph_op_rms_norm) desc.flags |= dnnl_rms_norm;
    return desc;
}

/// The view of statistics: the axes of src without the normalized one. Further axes of the tensor
/// have extent 1.
class statistics_view_t {
public:
    explicit statistics_view_t(const memory_desc_t &src) {
        ndims_ = src.ndims - 1;
        std::copy_n(src.dims, ndims_, dims_);
    }
    std::optional<memory_desc_t> operator()(const memory_desc_t &md) const {
        return reshaped(md, ndims_, dims_);
    }
    memory_desc_t dense(data_type_t type) const { return dense_md(type, ndims_, dims_); }

private:
    int ndims_;
    dims_t dims_;
};

/// Binds mean and variance, which share a descriptor: that of the first one; the other is copied if
/// its layout differs.
status_t bind_statistics(
        const op_t &op, request_t &request, layer_normalization_desc_t &desc, bool are_outputs) {
    program_builder_t &program = request.program();
    const statistics_view_t view(desc.src);
    desc.stat = zero_md;
    for (const auto &[name, arg] :
            {std::pair{"mean", DNNL_ARG_MEAN}, std::pair{"variance", DNNL_ARG_VARIANCE}}) {
        const auto *const lt = are_outputs ? output_of(op, name) : input_of(op, name);
        if (lt == nullptr) continue;
        const memory_desc_t own = program.md_of_tensor(lt->id);
        const value_t value = program.value_of(lt->id);
        const auto seen = view(own);
        if (is_zero(desc.stat)) desc.stat = seen ? *seen : view.dense(own.data_type);
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

/// Gamma or beta, with as many axes as src.
struct weight_t {
    value_t value;
    memory_desc_t md;
};

/// Whether the weight is a vector along the normalized axes and the same for all rows.
bool spans_row(const memory_desc_t &weight, const logical_tensor_t &src, int axis) {
    for (int d = 0; d < src.ndims; ++d)
        if (weight.dims[d] != (d >= axis ? src.dims[d] : 1)) return false;
    return true;
}

/// Reads gamma or beta. A weight that is broadcast along some of the normalized axes is expanded by
/// a copy, because the primitive has one normalized axis. `expands_singles`: so is a weight with
/// one element for each row.
status_t read_weight(request_t &request, const logical_tensor_t &lt, const logical_tensor_t &src,
        int axis, bool expands_singles, weight_t &weight) {
    program_builder_t &program = request.program();
    const auto own = with_leading_ones(program.md_of_tensor(lt.id), src.ndims);
    KILN_REQUIRE(
            own, dnnl_unimplemented, "graph", "the layout of tensor %zu is not supported", lt.id);
    weight = {program.value_of(lt.id), *own};
    dims_t dims;
    std::copy_n(own->dims, axis, dims);
    std::copy(src.dims + axis, src.dims + src.ndims, dims + axis);
    const bool is_whole = std::equal(dims, dims + src.ndims, own->dims);
    const bool is_single = std::all_of(
            own->dims + axis, own->dims + src.ndims, [](dim_t extent) { return extent == 1; });
    const bool has_shape = is_whole || (is_single && !expands_singles);
    if (has_shape && request.view(*own)) return dnnl_success;
    if (has_shape) std::copy_n(own->dims, src.ndims, dims);
    const auto expanded = broadcast_to(*own, src.ndims, dims);
    KILN_REQUIRE(expanded, dnnl_unimplemented, "graph",
            "tensor %zu is broadcast and its layout is not plain", lt.id);
    const memory_desc_t dense = dense_md(own->data_type, src.ndims, dims);
    const value_t copy = program.temporary(byte_size(dense));
    KILN_TRY(program.copy(weight.value, *expanded, copy, dense));
    weight = {copy, dense};
    return dnnl_success;
}

/// Binds scale, shift or one of their gradients: a dense vector, or a dense copy of it.
status_t bind_weight(
        request_t &request, int arg, const weight_t &weight, dim_t cols, bool is_output = false) {
    const memory_desc_t &own = weight.md;
    request.arguments[arg] = weight.value;
    if (reshaped(own, 1, &cols) == vector_md(own.data_type, cols)) return dnnl_success;
    const memory_desc_t dense = dense_md(own.data_type, own.ndims, own.dims);
    return request.bind_copy(arg, weight.value, own, dense, is_output);
}

/// Binds gamma and beta: scale and shift if they are vectors along the normalized axes, else
/// operands of binary post-ops.
status_t bind_weights(const op_t &op, request_t &request, layer_normalization_desc_t &desc) {
    const logical_tensor_t &src = request.tensor(op.inputs[0]);
    const dim_t cols = desc.src.dims[desc.src.ndims - 1];
    const int axis = norm_axis(op, src.ndims);
    struct row_t {
        const char *name;
        int arg;
        unsigned flag;
        alg_kind_t alg;
    };
    std::vector<std::pair<alg_kind_t, weight_t>> broadcast;
    for (const row_t &row : {row_t{"gamma", DNNL_ARG_SCALE, dnnl_use_scale, dnnl_binary_mul},
                 row_t{"beta", DNNL_ARG_SHIFT, dnnl_use_shift, dnnl_binary_add}}) {
        const logical_tensor_t *const lt = input_of(op, row.name);
        if (lt == nullptr) continue;
        weight_t weight;
        KILN_TRY(read_weight(request, *lt, src, axis, false, weight));
        if (!broadcast.empty() || !spans_row(weight.md, src, axis)) {
            broadcast.emplace_back(row.alg, weight);
            continue;
        }
        desc.flags |= row.flag;
        desc.scale_shift_type = weight.md.data_type;
        KILN_TRY(bind_weight(request, row.arg, weight, cols));
    }
    request.desc = desc;
    for (const auto &[alg, weight] : broadcast)
        KILN_TRY(request.add_binary(alg, weight.value, *request.view(weight.md)));
    return dnnl_success;
}

/// Binds diff_gamma or diff_beta, if it is wanted.
status_t bind_weight_gradient(const op_t &op, request_t &request, const char *name, int arg,
        layer_normalization_desc_t &desc) {
    const logical_tensor_t *const lt = output_of(op, name);
    if (lt == nullptr) return dnnl_success;
    desc.prop_kind = dnnl_backward;
    desc.diff_scale_shift_type = lt->data_type;
    const dim_t cols = desc.src.dims[desc.src.ndims - 1];
    const weight_t gradient{
            request.program().value_of(lt->id), request.program().md_of_tensor(lt->id)};
    KILN_REQUIRE(element_count(gradient.md) == cols, dnnl_unimplemented, "graph",
            "%s: %s of a gamma that is broadcast is not supported", op.name.c_str(), name);
    return bind_weight(request, arg, gradient, cols, true);
}

} // namespace

status_t lower_row_norm(const op_t &op, request_t &request) {
    auto desc = common_desc(op);
    request.view = rows_view(op, request);
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    if (output_of(op, "dst")) {
        KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    } else {
        desc.dst = dense_md(desc.src.data_type, desc.src.ndims, desc.src.dims);
        request.arguments[DNNL_ARG_DST] = request.program().temporary(byte_size(desc.dst));
    }
    KILN_TRY(bind_statistics(op, request, desc, true));
    desc.prop_kind = is_zero(desc.stat) ? dnnl_forward_inference : dnnl_forward_training;
    if (is_zero(desc.stat)) desc.stat = statistics_view_t(desc.src).dense(dnnl_f32);
    return bind_weights(op, request, desc);
}

status_t lower_row_norm_backward(const op_t &op, request_t &request) {
    auto desc = common_desc(op);
    request.view = rows_view(op, request);
    request.result = DNNL_ARG_DIFF_SRC;
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    KILN_TRY(request.read(DNNL_ARG_DIFF_DST, op.inputs[1], desc.diff_dst));
    desc.diff_src = dense_md(desc.src.data_type, desc.src.ndims, desc.src.dims);
    if (output_of(op, "diff_src"))
        KILN_TRY(request.write(DNNL_ARG_DIFF_SRC, op.outputs[0], desc.diff_src));
    KILN_TRY(bind_statistics(op, request, desc, false));
    desc.recomputes_stats = is_zero(desc.stat);
    if (desc.recomputes_stats) desc.stat = statistics_view_t(desc.src).dense(dnnl_f32);

    desc.prop_kind = dnnl_backward_data;
    if (const logical_tensor_t *const gamma = input_of(op, "gamma")) {
        const logical_tensor_t &src = request.tensor(op.inputs[0]);
        const int axis = norm_axis(op, src.ndims);
        weight_t weight;
        KILN_TRY(read_weight(request, *gamma, src, axis, true, weight));
        KILN_REQUIRE(spans_row(weight.md, src, axis), dnnl_unimplemented, "graph",
                "%s: a gamma that is not the same for all rows is not supported", op.name.c_str());
        desc.flags |= dnnl_use_scale | dnnl_use_shift;
        desc.scale_shift_type = weight.md.data_type;
        KILN_TRY(bind_weight(request, DNNL_ARG_SCALE, weight, desc.src.dims[desc.src.ndims - 1]));
    }
    desc.diff_scale_shift_type = desc.scale_shift_type;
    KILN_TRY(bind_weight_gradient(op, request, "diff_gamma", DNNL_ARG_DIFF_SCALE, desc));
    KILN_TRY(bind_weight_gradient(op, request, "diff_beta", DNNL_ARG_DIFF_SHIFT, desc));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
