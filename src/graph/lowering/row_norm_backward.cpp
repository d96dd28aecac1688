// SPDX-License-Identifier: Apache-2.0
// LayerNormBackward: the gradients of a layer normalization primitive in which the axes from
// begin_norm_axis on are joined into one. Gradients of gamma and beta are sums over the axes along
// which they are broadcast; the primitive sums over rows, a reduction after it over the rest.

#include "common/operations/reduction_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/layout_choice.hpp"
#include "graph/lowering/row_norm_operands.hpp"
#include "graph/schema/schema.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {
namespace {

/// diff_gamma or diff_beta.
struct gradient_t {
    value_t value;
    memory_desc_t md; ///< of the tensor
    shape_t shape;    ///< with as many axes as src
};

status_t reduce(program_builder_t &program, value_t from, const memory_desc_t &md, value_t to,
        const memory_desc_t &to_md) {
    operation_desc_t desc;
    desc = reduction_desc_t{
            .alg = dnnl_reduction_sum, .src = md, .dst = to_md, .p = 0, .epsilon = 0};
    std::map<int, value_t> arguments{{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}};
    std::shared_ptr<const primitive_desc_t> pd;
    std::vector<layout_copy_t> copies;
    KILN_TRY(choose_layouts(program.engine(), desc, {}, arguments, pd, copies));
    for (const auto &[arg, own, copy] : copies) {
        const value_t value = program.temporary(byte_size(copy));
        KILN_TRY(program.copy(arguments[arg], own, value, copy));
        arguments[arg] = value;
    }
    return program.add(pd, arguments);
}

/// Adds a step that sums a tensor with src's axes along those where the gradient has extent 1.
status_t add_sum(
        program_builder_t &program, value_t from, const memory_desc_t &md, const gradient_t &to) {
    const auto seen = reshaped(to.md, md.ndims, to.shape.data());
    const memory_desc_t sum_md =
            seen ? *seen : dense_md(to.md.data_type, md.ndims, to.shape.data());
    const value_t sum = seen ? to.value : program.temporary(byte_size(sum_md));
    if (same_dims(md, sum_md)) {
        KILN_TRY(program.copy(from, md, sum, sum_md));
    } else {
        KILN_TRY(reduce(program, from, md, sum, sum_md));
    }
    if (seen) return dnnl_success;
    return program.copy(sum, dense_md(to.md.data_type, to.md.ndims, to.md.dims), to.value, to.md);
}

class lowering_t {
public:
    lowering_t(const op_t &op, request_t &request)
        : op_(op)
        , request_(request)
        , program_(request.program())
        , src_(request.tensor(op.inputs[0]))
        , axis_(norm_axis(op, src_.ndims))
        , desc_(row_norm_desc(op)) {}

    status_t lower();

private:
    status_t bind_data();
    std::optional<gradient_t> gradient(const char *name) const;
    status_t lower_vector(weight_t gamma);
    status_t bind_gradient(const char *name, int arg, bool are_vectors);
    status_t lower_tensor(weight_t gamma);
    status_t scale_diff_dst(weight_t gamma);
    status_t add_diff_gamma(const gradient_t &gradient);
    status_t add_sum_of_diff_dst(const gradient_t &gradient);

    const op_t &op_;
    request_t &request_;
    program_builder_t &program_;
    const logical_tensor_t &src_;
    const int axis_;
    layer_normalization_desc_t desc_;
};

status_t lowering_t::lower() {
    KILN_TRY(bind_data());
    desc_.prop_kind = dnnl_backward_data;
    const logical_tensor_t *const gamma = input_of(op_, "gamma");
    if (gamma == nullptr) {
        request_.desc = desc_;
        return dnnl_success;
    }
    weight_t weight;
    KILN_TRY(read_weight(request_, *gamma, src_, axis_, weight));
    const shape_t shape(weight.md.dims, weight.md.dims + src_.ndims);
    return is_same_for_rows(shape, axis_) ? lower_vector(weight) : lower_tensor(weight);
}

/// Binds src, diff_dst, diff_src and the statistics.
status_t lowering_t::bind_data() {
    request_.view = rows_view(op_, request_);
    request_.result = DNNL_ARG_DIFF_SRC;
    KILN_TRY(request_.read(DNNL_ARG_SRC, op_.inputs[0], desc_.src));
    KILN_TRY(request_.read(DNNL_ARG_DIFF_DST, op_.inputs[1], desc_.diff_dst.edit()));
    desc_.diff_src = dense_like(desc_.src, desc_.src.data_type);
    if (output_of(op_, "diff_src"))
        KILN_TRY(request_.write(DNNL_ARG_DIFF_SRC, op_.outputs[0], desc_.diff_src.edit()));
    KILN_TRY(bind_statistics(op_, request_, desc_, false));
    desc_.recomputes_stats = is_zero(desc_.stat);
    if (desc_.recomputes_stats) desc_.stat = dense_statistics(desc_.src, dnnl_f32);
    return dnnl_success;
}

/// Empty if the gradient is not wanted.
std::optional<gradient_t> lowering_t::gradient(const char *name) const {
    const logical_tensor_t *const lt = output_of(op_, name);
    if (lt == nullptr) return std::nullopt;
    const auto shape = row_weight_shape(dims_of(program_.tensor(lt->id)), dims_of(src_), axis_);
    return gradient_t{program_.value_of(lt->id), program_.md_of_tensor(lt->id), *shape};
}

// ---- gamma that is the same for all rows: the primitive's scale

status_t lowering_t::lower_vector(weight_t gamma) {
    const shape_t vector = row_shape(src_, axis_);
    KILN_TRY(expand_weight(request_, vector, gamma));
    desc_.flags |= dnnl_use_scale | dnnl_use_shift;
    desc_.scale_shift_type = desc_.diff_scale_shift_type = gamma.md.data_type;
    KILN_TRY(bind_weight(request_, DNNL_ARG_SCALE, gamma, desc_.src.dims[desc_.src.ndims - 1]));
    bool are_vectors = true;
    for (const char *name : {"diff_gamma", "diff_beta"})
        if (const auto wanted = gradient(name)) {
            desc_.prop_kind = dnnl_backward;
            are_vectors &= wanted->shape == vector;
        }
    // Sums that are added up further are not rounded before.
    if (!are_vectors) desc_.diff_scale_shift_type = dnnl_f32;
    KILN_TRY(bind_gradient("diff_gamma", DNNL_ARG_DIFF_SCALE, are_vectors));
    KILN_TRY(bind_gradient("diff_beta", DNNL_ARG_DIFF_SHIFT, are_vectors));
    request_.desc = desc_;
    return dnnl_success;
}

/// Binds a gradient that the primitive computes. Unless both are vectors, it is a vector of f32 and
/// a step after the primitive adds it up. Only beta may differ between rows here.
status_t lowering_t::bind_gradient(const char *name, int arg, bool are_vectors) {
    const auto wanted = gradient(name);
    if (!wanted) return dnnl_success;
    if (are_vectors) {
        const dim_t cols = desc_.src.dims[desc_.src.ndims - 1];
        return bind_weight(request_, arg, {wanted->value, wanted->md}, cols, true);
    }
    if (!is_same_for_rows(wanted->shape, axis_)) return add_sum_of_diff_dst(*wanted);
    const memory_desc_t md = dense_md(dnnl_f32, src_.ndims, row_shape(src_, axis_).data());
    const value_t vector = request_.arguments[arg] = program_.temporary(byte_size(md));
    request_.then([=, &program = program_] { return add_sum(program, vector, md, *wanted); });
    return dnnl_success;
}

// ---- gamma that differs between rows

/// diff_dst is multiplied by gamma in front of the primitive, which has no scale. Gradients of
/// weights are sums of products that steps of their own compute.
status_t lowering_t::lower_tensor(weight_t gamma) {
    if (const auto wanted = gradient("diff_gamma")) KILN_TRY(add_diff_gamma(*wanted));
    if (const auto wanted = gradient("diff_beta")) KILN_TRY(add_sum_of_diff_dst(*wanted));
    if (!output_of(op_, "diff_src")) return dnnl_success;
    KILN_TRY(scale_diff_dst(gamma));
    request_.desc = desc_;
    return dnnl_success;
}

status_t lowering_t::scale_diff_dst(weight_t gamma) {
    KILN_TRY(fit_weight_to_view(request_, src_, axis_, gamma));
    const memory_desc_t md = *request_.view(gamma.md);
    const memory_desc_t scaled = dense_like(desc_.src, dnnl_f32);
    primitive_attr_t attr;
    attr.post_ops.entries.emplace_back(binary_post_op_t{dnnl_binary_mul, md, zero_md, md, zero_md});
    value_t &diff_dst = request_.arguments[DNNL_ARG_DIFF_DST];
    const value_t product = program_.temporary(byte_size(scaled));
    KILN_TRY(program_.copy(diff_dst, desc_.diff_dst, product, scaled, attr,
            {{DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, gamma.value}}));
    diff_dst = product;
    desc_.diff_dst = scaled;
    return dnnl_success;
}

/// Adds up diff_dst * xhat, where xhat is src without mean and in units of the deviation: forward
/// normalization with a post-op.
status_t lowering_t::add_diff_gamma(const gradient_t &gradient) {
    auto forward = row_norm_desc(op_);
    forward.prop_kind = dnnl_forward_inference;
    if (!desc_.recomputes_stats) forward.flags |= dnnl_use_global_stats;
    forward.src = desc_.src;
    forward.stat = desc_.stat;
    forward.dst = dense_like(desc_.src, dnnl_f32);
    auto product_md = reshaped(forward.dst, src_.ndims, src_.dims);
    if (!product_md) {
        forward.dst = dense_md(dnnl_f32, desc_.src.ndims, desc_.src.dims);
        product_md = dense_md(dnnl_f32, src_.ndims, src_.dims);
    }
    primitive_attr_t attr;
    attr.post_ops.entries.emplace_back(
            binary_post_op_t{dnnl_binary_mul, desc_.diff_dst, zero_md, desc_.diff_dst, zero_md});
    std::map<int, value_t> arguments = request_.arguments;
    arguments[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] = arguments[DNNL_ARG_DIFF_DST];
    const value_t product = arguments[DNNL_ARG_DST] = program_.temporary(byte_size(forward.dst));
    KILN_TRY(program_.add(forward, attr, arguments));
    return add_sum(program_, product, *product_md, gradient);
}

status_t lowering_t::add_sum_of_diff_dst(const gradient_t &gradient) {
    const size_t diff_dst = op_.inputs[1].id;
    return add_sum(
            program_, program_.value_of(diff_dst), program_.md_of_tensor(diff_dst), gradient);
}

} // namespace

status_t lower_row_norm_backward(const op_t &op, request_t &request) {
    return lowering_t(op, request).lower();
}

} // namespace kiln::graph
