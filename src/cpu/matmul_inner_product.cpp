// SPDX-License-Identifier: Apache-2.0
// Inner products by the kernels of matrix multiplication:
//     forward:           dst = src x weights^T,
//     backward_data:     diff_src = diff_dst x weights,
//     backward_weights:  diff_weights = diff_dst^T x src, diff_bias = sums of diff_dst's columns.

#include "cpu/matmul_inner_product.hpp"

#include <algorithm>
#include <optional>

#include "common/operations/matmul_pd.hpp"
#include "common/operations/reduction_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/packed_inner_product.hpp"

namespace kiln::cpu {
namespace {

/// A tensor as a matrix: its first axis, and the others at one stride.
struct flat_t {
    dim_t rows, columns, row_stride, column_stride, offset0;
    data_type_t type;

    memory_desc_t matrix() const { return desc(rows, columns, row_stride, column_stride); }
    memory_desc_t transposed() const { return desc(columns, rows, column_stride, row_stride); }

private:
    memory_desc_t desc(dim_t m, dim_t n, dim_t m_stride, dim_t n_stride) const {
        const dim_t dims[] = {m, n}, strides[] = {m_stride, n_stride};
        memory_desc_t md = zero_md;
        init_by_strides(md, 2, dims, type, strides);
        md.offset0 = offset0;
        return md;
    }
};

bool is_unpadded(const memory_desc_t &md) {
    return is_plain(md) && !has_padding(md) && !has_front_padding(md);
}

/// `md` with its axes but the first merged in the order that `model`'s have in memory.
std::optional<flat_t> flattened(const memory_desc_t &md, const memory_desc_t &model) {
    if (!is_unpadded(md) || !is_unpadded(model)) return std::nullopt;
    const auto &strides = md.format_desc.blocking.strides;
    flat_t flat{md.dims[0], 1, strides[0], 1, md.offset0, md.data_type};
    const auto order = axes_outermost_first(model, model.ndims);
    for (int i = model.ndims - 1; i >= 0; --i) {
        const int d = order[static_cast<size_t>(i)];
        if (d == 0 || md.dims[d] == 1) continue;
        if (flat.columns == 1) flat.column_stride = strides[d];
        if (strides[d] != flat.columns * flat.column_stride) return std::nullopt;
        flat.columns *= md.dims[d];
    }
    return flat;
}

/// The bias as a matrix of one row.
memory_desc_t bias_row(const memory_desc_t &bias) {
    if (is_zero(bias)) return zero_md;
    const dim_t stride = bias.format_desc.blocking.strides[0], columns = bias.dims[0];
    return flat_t{
            1, columns, columns * std::max(stride, dim_t(1)), stride, bias.offset0, bias.data_type}
            .matrix();
}

struct inner_plan_t {
    struct binding_t {
        int inner, outer; // slots
    };
    std::shared_ptr<const primitive_desc_t> product, bias_sums;
    std::vector<binding_t> of_product, of_bias_sums;
};

class matmul_inner_product_t final : public primitive_impl_t {
public:
    explicit matmul_inner_product_t(const inner_plan_t &plan)
        : plan_(plan)
        , product_{plan.product, plan.product->create()} {
        if (plan.bias_sums) bias_sums_ = {plan.bias_sums, plan.bias_sums->create()};
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        KILN_TRY(execute(product_, plan_.of_product, ctx));
        return bias_sums_.pd ? execute(bias_sums_, plan_.of_bias_sums, ctx) : dnnl_success;
    }

private:
    static status_t execute(const cached_primitive_t &primitive,
            const std::vector<inner_plan_t::binding_t> &bindings, const exec_ctx_t &ctx) {
        exec_ctx_t inner(*primitive.pd);
        for (const auto &[slot, outer] : bindings) inner.set(slot, ctx.output(outer));
        inner.set_scratchpad(ctx.scratchpad());
        return primitive.execute(inner);
    }

    const inner_plan_t &plan_;
    const cached_primitive_t product_;
    cached_primitive_t bias_sums_;
};

/// The three matrices and the arguments that stand for them.
struct roles_t {
    matmul_desc_t desc;
    int src, weights, dst;
};

std::optional<roles_t> forward_roles(
        const inner_product_pd_t &pd, const flat_t &src, const memory_desc_t &weights) {
    if (pd.has_bias() && !is_unpadded(pd.bias())) return std::nullopt;
    return roles_t{{src.matrix(), weights, bias_row(pd.bias()), pd.dst()}, DNNL_ARG_SRC,
            DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
}

std::optional<roles_t> roles_of(const inner_product_pd_t &pd) {
    const memory_desc_t &order = is_unpadded(pd.src()) ? pd.src() : pd.weights();
    const auto src = flattened(pd.src(), order), weights = flattened(pd.weights(), order);
    const auto dst = flattened(pd.dst(), pd.dst());
    if (!src || !dst) return std::nullopt;
    if (const auto packed = packed_matrix(pd.weights()); packed && pd.is_forward()) {
        const auto expected = unflattened(*packed, pd.weights(), pd.src());
        if (!expected || !(*expected == pd.weights())) return std::nullopt;
        return forward_roles(pd, *src, *packed);
    }
    if (!weights) return std::nullopt;
    if (pd.is_forward()) return forward_roles(pd, *src, weights->transposed());
    if (pd.is_backward_data())
        return roles_t{{dst->matrix(), weights->matrix(), zero_md, src->matrix()},
                DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
    return roles_t{{dst->transposed(), src->matrix(), zero_md, weights->matrix()},
            DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS};
}

/// The attributes of the product: axis 0 of weights, the outputs, is axis 1 of the matrix.
primitive_attr_t product_attr(const inner_product_pd_t &pd) {
    primitive_attr_t attr = pd.attr();
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    attr.post_ops.adopt_formats();
    const auto scale = attr.scales.find(DNNL_ARG_WEIGHTS);
    if (scale != attr.scales.end() && scale->second.mask == 1) scale->second.mask = 2;
    return attr;
}

/// The outer argument of one of the product's.
int outer_arg(const roles_t &roles, int arg) {
    switch (arg) {
    case DNNL_ARG_SRC: return roles.src;
    case DNNL_ARG_WEIGHTS: return roles.weights;
    case DNNL_ARG_DST: return roles.dst;
    default: return arg;
    }
}

status_t find_bias_sums(const inner_product_pd_t &pd, inner_plan_t &plan) {
    const reduction_desc_t desc{dnnl_reduction_sum, pd.dst(), bias_row(pd.bias()), 0, 0};
    KILN_TRY(operation_pd_t<reduction_desc_t>::find(
            pd.engine(), desc, nullptr, nullptr, 0, plan.bias_sums));
    plan.of_bias_sums = {{plan.bias_sums->slot_of(DNNL_ARG_SRC), pd.slot_of(DNNL_ARG_DIFF_DST)},
            {plan.bias_sums->slot_of(DNNL_ARG_DST), pd.slot_of(DNNL_ARG_DIFF_BIAS)}};
    return dnnl_success;
}

/// Whether there is generated code.
bool find_product(const inner_product_pd_t &pd, const matmul_desc_t &desc,
        std::shared_ptr<const primitive_desc_t> &product) {
    const primitive_attr_t attr = product_attr(pd);
    return operation_pd_t<matmul_desc_t>::find(pd.engine(), desc, &attr, nullptr, 0, product)
                   == dnnl_success
           && !product->is_reference();
}

/// The same for weights in the layout that matrix multiplication chooses; they get it.
bool find_packed_product(inner_product_pd_t &pd, const roles_t &roles,
        std::shared_ptr<const primitive_desc_t> &product) {
    matmul_desc_t desc = roles.desc;
    desc.weights.format_kind = dnnl_format_kind_any;
    desc.weights.format_desc = {};
    desc.weights.offset0 = 0;
    if (!find_product(pd, desc, product)) return false;
    const auto chosen = unflattened(product->md_of(DNNL_ARG_WEIGHTS), pd.weights(), pd.src());
    if (!chosen) return false;
    pd.settle_weights(*chosen);
    return true;
}

/// Where there are more outputs than inputs, the gradient of weights whose layout is open gets
/// dense columns: the product is then diff_weights^T = src^T x diff_dst, and the smaller tensor,
/// src, is the one that is transposed.
void settle_gradient(inner_product_pd_t &pd) {
    memory_desc_t md = pd.weights();
    auto &strides = md.format_desc.blocking.strides;
    const dim_t inputs = element_count(md) / md.dims[0];
    if (pd.outputs() <= inputs || strides[0] != inputs) return;
    for (int d = 1; d < md.ndims; ++d) strides[d] *= md.dims[0];
    strides[0] = 1;
    pd.settle_weights(md);
}

} // namespace

refusal_t matmul_inner_product_accept(inner_product_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src()) || has_zero_dim(pd.weights()))
        return refused("there are no elements");
    const bool chooses = pd.is_forward() && is_any(pd.weights());
    if (is_any(pd.src()) && packed_matrix(pd.weights()))
        pd.settle_src(ordered_like(pd.src(), pd.weights()));
    const bool has_open_gradient =
            !pd.is_forward() && !pd.is_backward_data() && is_any(pd.weights());
    if (pd.resolve_formats() != dnnl_success) return refused("a format `any` has no default");
    if (has_open_gradient && is_unpadded(pd.weights())) settle_gradient(pd);
    const auto roles = roles_of(pd);
    if (!roles)
        return refused("a tensor is blocked or padded, or src and weights have unlike orders");
    auto found = std::make_shared<plan_of_t<matmul_inner_product_t, inner_plan_t>>();
    inner_plan_t &inner = found->work;
    if (!(chooses && find_packed_product(pd, *roles, inner.product))
            && !find_product(pd, roles->desc, inner.product))
        return refused("no generated code of matrix multiplication takes it");
    const auto &slots = inner.product->slots();
    for (size_t i = 0; i < slots.size(); ++i)
        inner.of_product.push_back(
                {static_cast<int>(i), pd.slot_of(outer_arg(*roles, slots[i].arg))});
    size_t scratchpad = inner.product->scratchpad_size();
    if (pd.slot_of(DNNL_ARG_DIFF_BIAS) >= 0) {
        if (!is_unpadded(pd.bias()) || find_bias_sums(pd, inner) != dnnl_success)
            return refused("no reduction takes diff_bias");
        scratchpad = std::max(scratchpad, inner.bias_sums->scratchpad_size());
    }
    pd.set_scratchpad_size(scratchpad);
    pd.set_implementation_pads(); // the inner executions do
    plan = found;
    return accepted();
}

} // namespace kiln::cpu
