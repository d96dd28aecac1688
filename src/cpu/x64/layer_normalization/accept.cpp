// SPDX-License-Identifier: Apache-2.0
// Which problems generated kernels of layer normalization take.

#include "cpu/x64/layer_normalization/accept.hpp"

#include <vector>

#include "common/memory/type_set.hpp"
#include "cpu/x64/layer_normalization/passes.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::layer_normalization {
namespace {

constexpr const char *unsupported_type = "unsupported datatype";

/// src and what has its shape; the zero descriptor for an absent one.
std::vector<const memory_desc_t *> tensors_of(const layer_normalization_pd_t &pd) {
    return {&pd.src(), &pd.dst(), &pd.src_1(), &pd.sum(), &pd.diff_src(), &pd.diff_dst()};
}

/// What no kernel takes, whatever the layouts.
refusal_t check_operands(const layer_normalization_pd_t &pd, isa_t isa) {
    if (isa == isa_t::none) return refused(no_kernels_reason());
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    const type_set_t types = pd.is_forward() ? float_types | int8_types : float_types;
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !contains(types, md->data_type)) return refused(unsupported_type);
    if (pd.recomputes_stats()) return accepted();
    if (!contains(float_types, pd.stat().data_type)) return refused(unsupported_type);
    return is_plain(pd.stat()) ? accepted() : refused("statistics in a blocked layout");
}

/// What the C interface cannot ask for.
refusal_t refuse_extensions(const layer_normalization_pd_t &pd) {
    if (pd.has_src_1() || pd.has_sum()) return refused("an operand that is added to src");
    if (pd.has_row_scale()) return refused("a scale for each row of dst");
    if (pd.recomputes_stats()) return refused("statistics that are computed in backward");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops on diff_src");
    return pd.stat().data_type == dnnl_f32 ? accepted()
                                           : refused("statistics of a type other than f32");
}

} // namespace

refusal_t accept_rows(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    if (const refusal_t refusal = check_operands(pd, isa)) return refusal;
    constexpr dim_t most_cols = dim_t(1) << 28; // a displacement of 32 bits reaches their floats
    if (pd.cols() > most_cols) return refused("rows of more than 2^28 elements");
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !has_dense_rows(*md))
            return refused("the normalized axis is not innermost in every tensor");
    if (pd.has_row_scale() && !is_plain(pd.row_scale()))
        return refused("the scales of rows in a blocked layout");
    return pd.is_forward() ? accept_rows_forward(pd, isa, plan)
                           : accept_rows_backward(pd, isa, plan);
}

refusal_t accept_columns(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    if (const refusal_t refusal = check_operands(pd, isa)) return refusal;
    if (const refusal_t refusal = refuse_extensions(pd)) return refusal;
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !is_plain(*md)) return refused("a tensor in a blocked layout");
    return pd.is_forward() ? accept_columns_forward(pd, isa, plan)
                           : accept_columns_backward(pd, isa, plan);
}

} // namespace kiln::x64::layer_normalization
