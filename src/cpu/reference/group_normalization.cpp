// SPDX-License-Identifier: Apache-2.0
// The scalar truth of group normalization: which problems it takes.

#include "cpu/reference/group_normalization.hpp"

#include "cpu/reference/empty_normalization.hpp"
#include "cpu/reference/group_normalization_impl.hpp"

namespace kiln::cpu::reference {

sample_group_t sample_group(const group_normalization_pd_t &pd, dim_t index) {
    const dim_t n = index / pd.groups();
    const dim_t g = index % pd.groups();
    const dim_t channels = pd.channels_per_group();
    return {n, g, {n, n + 1, g * channels, (g + 1) * channels}};
}

refusal_t group_normalization_empty_accept(group_normalization_pd_t &pd) {
    return has_zero_dim(pd.src()) ? accepted() : refused("src has elements");
}

status_t group_normalization_empty_create(
        const group_normalization_pd_t &, std::unique_ptr<primitive_impl_t> &impl) {
    impl = make_empty_normalization();
    return dnnl_success;
}

refusal_t group_normalization_accept(group_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops on a gradient");
    return accepted();
}

status_t group_normalization_create(
        const group_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<group_normalization_fwd_t>(pd);
    else
        impl = std::make_unique<group_normalization_bwd_t>(pd);
    return dnnl_success;
}

} // namespace kiln::cpu::reference
