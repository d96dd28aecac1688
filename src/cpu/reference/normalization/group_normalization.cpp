// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of group normalization: which problems it takes.

#include "cpu/reference/normalization/group_normalization.hpp"

#include "cpu/reference/normalization/group_normalization_impl.hpp"

namespace kiln::cpu::reference {

sample_group_t sample_group(const group_normalization_pd_t &pd, dim_t index) {
    const dim_t n = index / pd.groups();
    const dim_t g = index % pd.groups();
    const dim_t channels = pd.channels_per_group();
    return {n, g, {n, n + 1, g * channels, (g + 1) * channels}};
}

refusal_t group_normalization_accept(group_normalization_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops of a gradient are not supported");
    pd.set_scratchpad_size(rank_message_t::bytes(pd.attr().ranks, pd.message_size()));
    return pd.is_forward() ? accepted_for<group_normalization_fwd_t>(pd, plan)
                           : accepted_for<group_normalization_bwd_t>(pd, plan);
}

} // namespace kiln::cpu::reference
