// SPDX-License-Identifier: Apache-2.0
// LayerNorm, RMSNorm and LayerNormBackward as layer normalization primitives: the axes from
// begin_norm_axis on become one.

#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// Where the normalized axes begin.
int norm_axis(const op_t &op, int ndims) {
    const int64_t axis = op.attr<int64_t>(dnnl_graph_op_attr_begin_norm_axis);
    return static_cast<int>(axis < 0 ? axis + ndims : axis);
}

view_t rows_view(const op_t &op, const request_t &request) {
    const int ndims = request.tensor(op.inputs[0]).ndims;
    const int axis = norm_axis(op, ndims);
    return axis == ndims - 1 && axis > 0 ? view_t::same(ndims) : view_t::folded(ndims, axis);
}

layer_normalization_desc_t common_desc(const op_t &op) {
    layer_normalization_desc_t desc{};
    desc.epsilon = op.attr<float>(dnnl_graph_op_attr_epsilon);
    desc.scale_shift_type = desc.diff_scale_shift_type = dnnl_f32;
    if (op.kind == dnnl_graph_op_rms_norm) desc.flags |= dnnl_rms_norm;
    return desc;
}

/// Statistics with src's axes in front of the normalized ones; what the tensor has beyond are ones.
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

/// Mean and variance share a descriptor: the first one's where it fits both, else dense copies.
status_t bind_statistics(
        const op_t &op, request_t &request, layer_normalization_desc_t &desc, bool are_outputs) {
    program_builder_t &program = request.program();
    const statistics_view_t view(desc.src);
    desc.stat = zero_md;
    for (const auto &[name, arg] :
            {std::pair{"mean", DNNL_ARG_MEAN}, std::pair{"variance", DNNL_ARG_VARIANCE}}) {
        const int position = are_outputs ? find_output(op, name) : find_input(op, name);
        if (position < 0) continue;
        const auto &lt = are_outputs ? op.outputs[static_cast<size_t>(position)]
                                     : op.inputs[static_cast<size_t>(position)];
        const memory_desc_t own = program.md_of_tensor(lt.id);
        const value_t value = program.value_of(lt.id);
        const auto seen = view(own);
        if (is_zero(desc.stat)) desc.stat = seen ? *seen : view.dense(own.data_type);
        request.arguments[arg] = value;
        if (seen && *seen == desc.stat) continue;
        const value_t copy = program.temporary(byte_size(desc.stat));
        const auto own_shape = reshaped(desc.stat, own.ndims, own.dims);
        KILN_REQUIRE(own_shape, dnnl_unimplemented, "graph", "the layout of %s", name);
        request.arguments[arg] = copy;
        if (are_outputs)
            request.then([=, &program] { return program.copy(copy, *own_shape, value, own); });
        else
            KILN_TRY(program.copy(value, own, copy, *own_shape));
    }
    // One alone is asked for: the other goes nowhere.
    if (are_outputs && !is_zero(desc.stat))
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
            if (!request.arguments.contains(arg))
                request.arguments[arg] = program.temporary(byte_size(desc.stat));
    return dnnl_success;
}

/// Gamma or beta with src's rank.
struct weight_t {
    value_t value;
    memory_desc_t md;
};

/// Whether it has an element for each normalized one, and is the same for all rows.
bool spans_row(const memory_desc_t &weight, const logical_tensor_t &src, int axis) {
    for (int d = 0; d < src.ndims; ++d)
        if (weight.dims[d] != (d >= axis ? src.dims[d] : 1)) return false;
    return true;
}

/// Reads gamma or beta. The normalized axes are one to the primitive, so what broadcasts along some
/// of them only is spread over all; `spreads_singles`: what has one element a row, too.
status_t read_weight(request_t &request, const logical_tensor_t &lt, const logical_tensor_t &src,
        int axis, bool spreads_singles, weight_t &weight) {
    program_builder_t &program = request.program();
    const auto own = with_leading_ones(program.md_of_tensor(lt.id), src.ndims);
    KILN_REQUIRE(own, dnnl_unimplemented, "graph", "the layout of tensor %zu", lt.id);
    weight = {program.value_of(lt.id), *own};
    dims_t dims;
    std::copy_n(own->dims, axis, dims);
    std::copy(src.dims + axis, src.dims + src.ndims, dims + axis);
    const bool is_whole = std::equal(dims, dims + src.ndims, own->dims);
    const bool is_single = std::all_of(
            own->dims + axis, own->dims + src.ndims, [](dim_t extent) { return extent == 1; });
    const bool is_fit = is_whole || (is_single && !spreads_singles);
    if (is_fit && request.view(*own)) return dnnl_success;
    if (is_fit) std::copy_n(own->dims, src.ndims, dims);
    const auto spread = broadcast_to(*own, src.ndims, dims);
    KILN_REQUIRE(spread, dnnl_unimplemented, "graph", "the layout of tensor %zu", lt.id);
    const memory_desc_t dense = dense_md(own->data_type, src.ndims, dims);
    const value_t copy = program.temporary(byte_size(dense));
    KILN_TRY(program.copy(weight.value, *spread, copy, dense));
    weight = {copy, dense};
    return dnnl_success;
}

/// Scale or shift: dense, as the primitive has it.
status_t bind_weight(
        request_t &request, int arg, const weight_t &weight, dim_t cols, data_type_t &type) {
    program_builder_t &program = request.program();
    const memory_desc_t &own = weight.md;
    type = own.data_type;
    request.arguments[arg] = weight.value;
    if (reshaped(own, 1, &cols) == vector_md(type, cols)) return dnnl_success;
    const value_t copy = program.temporary(byte_size(vector_md(type, cols)));
    KILN_TRY(program.copy(weight.value, own, copy, dense_md(type, own.ndims, own.dims)));
    request.arguments[arg] = copy;
    return dnnl_success;
}

/// Gamma and beta: scale and shift where there is an element for each normalized one, else what a
/// binary post-op broadcasts.
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
        const int position = find_input(op, row.name);
        if (position < 0) continue;
        weight_t weight;
        KILN_TRY(read_weight(
                request, op.inputs[static_cast<size_t>(position)], src, axis, false, weight));
        if (!broadcast.empty() || !spans_row(weight.md, src, axis)) {
            broadcast.emplace_back(row.alg, weight);
            continue;
        }
        desc.flags |= row.flag;
        KILN_TRY(bind_weight(request, row.arg, weight, cols, desc.scale_shift_type));
    }
    request.desc = desc;
    for (const auto &[alg, weight] : broadcast)
        KILN_TRY(request.add_binary(alg, weight.value, *request.view(weight.md)));
    return dnnl_success;
}

/// Outputs of the backward pass for scale or shift.
status_t bind_weight_gradient(
        const op_t &op, request_t &request, const char *name, int arg, dim_t cols) {
    const int position = find_output(op, name);
    if (position < 0) return dnnl_success;
    program_builder_t &program = request.program();
    const size_t id = op.outputs[static_cast<size_t>(position)].id;
    const memory_desc_t own = program.md_of_tensor(id);
    KILN_REQUIRE(element_count(own) == cols, dnnl_unimplemented, "graph",
            "%s: %s of a gamma that broadcasts", op.name.c_str(), name);
    const value_t value = request.arguments[arg] = program.value_of(id);
    if (reshaped(own, 1, &cols) == vector_md(own.data_type, cols)) return dnnl_success;
    const memory_desc_t dense = dense_md(own.data_type, own.ndims, own.dims);
    const value_t copy = request.arguments[arg] = program.temporary(byte_size(dense));
    request.then([=, &program] { return program.copy(copy, dense, value, own); });
    return dnnl_success;
}

} // namespace

status_t lower_row_norm(const op_t &op, request_t &request) {
    auto desc = common_desc(op);
    request.view = rows_view(op, request);
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    if (find_output(op, "dst") >= 0) {
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
    if (find_output(op, "diff_src") >= 0)
        KILN_TRY(request.write(DNNL_ARG_DIFF_SRC, op.outputs[0], desc.diff_src));
    KILN_TRY(bind_statistics(op, request, desc, false));
    desc.recomputes_stats = is_zero(desc.stat);
    if (desc.recomputes_stats) desc.stat = statistics_view_t(desc.src).dense(dnnl_f32);

    const dim_t cols = desc.src.dims[desc.src.ndims - 1];
    const int gamma = find_input(op, "gamma");
    desc.prop_kind = dnnl_backward_data;
    if (gamma >= 0) {
        const logical_tensor_t &src = request.tensor(op.inputs[0]);
        const int axis = norm_axis(op, src.ndims);
        weight_t weight;
        KILN_TRY(read_weight(
                request, op.inputs[static_cast<size_t>(gamma)], src, axis, true, weight));
        KILN_REQUIRE(spans_row(weight.md, src, axis), dnnl_unimplemented, "graph",
                "%s: a gamma that is not the same for all rows", op.name.c_str());
        desc.flags |= dnnl_use_scale | dnnl_use_shift;
        KILN_TRY(bind_weight(request, DNNL_ARG_SCALE, weight, cols, desc.scale_shift_type));
    }
    for (const char *name : {"diff_gamma", "diff_beta"})
        if (const int position = find_output(op, name); position >= 0) {
            desc.prop_kind = dnnl_backward;
            desc.diff_scale_shift_type = op.outputs[static_cast<size_t>(position)].data_type;
        }
    if (desc.prop_kind == dnnl_backward_data) desc.diff_scale_shift_type = desc.scale_shift_type;
    KILN_TRY(bind_weight_gradient(op, request, "diff_gamma", DNNL_ARG_DIFF_SCALE, cols));
    KILN_TRY(bind_weight_gradient(op, request, "diff_beta", DNNL_ARG_DIFF_SHIFT, cols));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
