// SPDX-License-Identifier: Apache-2.0
// The scalar truth of layer and RMS normalization: which problems it takes.

#include "cpu/reference/layer_normalization.hpp"

#include "cpu/reference/empty_normalization.hpp"
#include "cpu/reference/layer_normalization_impl.hpp"

namespace kiln::cpu::reference {

refusal_t layer_normalization_empty_accept(layer_normalization_pd_t &pd) {
    return has_zero_dim(pd.src()) ? accepted() : refused("src has elements");
}

status_t layer_normalization_empty_create(
        const layer_normalization_pd_t &, std::unique_ptr<primitive_impl_t> &impl) {
    impl = make_empty_normalization();
    return dnnl_success;
}

refusal_t layer_normalization_accept(layer_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    constexpr dim_t longest_row = dim_t(1) << 48; // no memory holds it
    if (pd.cols() > longest_row) return refused("rows are too long");
    pd.set_scratchpad_size(scratchpad_size(pd));
    return accepted();
}

status_t layer_normalization_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<layer_normalization_fwd_t>(pd);
    else
        impl = std::make_unique<layer_normalization_bwd_t>(pd);
    return dnnl_success;
}

} // namespace kiln::cpu::reference
