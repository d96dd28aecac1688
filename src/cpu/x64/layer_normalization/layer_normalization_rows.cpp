// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization by generated kernels where the normalized axis lies innermost: what
// is taken, and by which kernel.

#include "cpu/x64/layer_normalization/layer_normalization_rows.hpp"

#include "cpu/x64/layer_normalization/layer_normalization_checks.hpp"
#include "cpu/x64/layer_normalization/rows_backward.hpp"
#include "cpu/x64/layer_normalization/rows_forward.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::layer_normalization {
namespace {

refusal_t check_forward(layer_normalization_pd_t &pd) {
    for (const memory_desc_t *md : {&pd.src(), &pd.dst(), &pd.src_1(), &pd.sum()})
        if (!is_zero(*md) && !has_dense_rows(*md))
            return refused("the normalized axis is not innermost in every tensor");
    if (pd.has_row_scale() && !is_plain(pd.row_scale()))
        return refused("rows' scales in a blocked layout");
    pd.set_scratchpad_size(rows_forward_t::scratchpad_size(pd));
    post_op_operands_t post_ops;
    return find_post_op_operands(pd, pd.dst().ndims - 1, post_ops);
}

refusal_t check_backward(layer_normalization_pd_t &pd) {
    for (const memory_desc_t *md : {&pd.src(), &pd.diff_src(), &pd.diff_dst()})
        if (!has_dense_rows(*md))
            return refused("the normalized axis is not innermost in every tensor");
    pd.set_scratchpad_size(rows_backward_t::scratchpad_size(pd));
    post_op_operands_t post_ops;
    return find_post_op_operands(pd, pd.diff_src().ndims - 1, post_ops);
}

} // namespace

refusal_t layer_normalization_rows_accept(layer_normalization_pd_t &pd) {
    if (const refusal_t refusal = check_kernel_operands(pd)) return refusal;
    constexpr dim_t most_cols = dim_t(1) << 28; // whose floats a displacement of 32 bits reaches
    if (pd.cols() > most_cols) return refused("rows of more than 2^28 elements");
    return pd.is_forward() ? check_forward(pd) : check_backward(pd);
}

status_t layer_normalization_rows_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<rows_forward_t>(pd);
    else
        impl = std::make_unique<rows_backward_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::layer_normalization
