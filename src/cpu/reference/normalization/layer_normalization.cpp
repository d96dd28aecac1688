// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of layer and RMS normalization: which problems it takes.

#include "cpu/reference/normalization/layer_normalization.hpp"

#include "cpu/reference/normalization/layer_normalization_impl.hpp"

namespace kiln::cpu::reference {

refusal_t layer_normalization_accept(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (pd.combines_statistics() && (pd.has_src_1() || pd.has_row_scale() || pd.recomputes_stats()))
        return refused(
                "statistics over ranks with an operand added to src, a scale for each row, or "
                "a gradient that they are not given to");
    constexpr dim_t longest_row = dim_t(1) << 48; // no memory holds it
    if (pd.cols() > longest_row) return refused("rows have more than 2^48 elements");
    pd.set_scratchpad_size(scratchpad_size(pd));
    return pd.is_forward() ? accepted_for<layer_normalization_fwd_t>(pd, plan)
                           : accepted_for<layer_normalization_bwd_t>(pd, plan);
}

} // namespace kiln::cpu::reference
