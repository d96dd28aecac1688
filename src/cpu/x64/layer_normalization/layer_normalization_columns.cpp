// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization by generated kernels where another axis than the normalized one lies
// innermost: what is taken, and by which kernel.

#include "cpu/x64/layer_normalization/layer_normalization_columns.hpp"

#include "cpu/x64/layer_normalization/columns_backward.hpp"
#include "cpu/x64/layer_normalization/columns_forward.hpp"
#include "cpu/x64/layer_normalization/layer_normalization_checks.hpp"

namespace kiln::x64::layer_normalization {
namespace {

refusal_t check_forward(const layer_normalization_pd_t &pd) {
    if (const refusal_t refusal = refuse_fused_forward(pd)) return refusal;
    if (!is_plain(pd.src()) || !is_plain(pd.dst()))
        return refused("src or dst in a blocked layout");
    return columns_forward_t::check_operands(pd);
}

refusal_t check_backward(layer_normalization_pd_t &pd) {
    if (const refusal_t refusal = refuse_fused_backward(pd)) return refusal;
    for (const memory_desc_t *md : {&pd.src(), &pd.diff_src(), &pd.diff_dst()})
        if (!is_plain(*md)) return refused("src, diff_src or diff_dst in a blocked layout");
    if (const refusal_t refusal = columns_backward_t::check_adjacent(pd)) return refusal;
    pd.set_scratchpad_size(columns_backward_t::scratchpad_size(pd));
    return accepted();
}

} // namespace

refusal_t layer_normalization_columns_accept(layer_normalization_pd_t &pd) {
    if (const refusal_t refusal = check_kernel_operands(pd)) return refusal;
    return pd.is_forward() ? check_forward(pd) : check_backward(pd);
}

status_t layer_normalization_columns_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<columns_forward_t>(pd);
    else
        impl = std::make_unique<columns_backward_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::layer_normalization
