// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of batch normalization: which problems it takes, and how it
// is cut into tasks.

#include "cpu/reference/normalization/batch_normalization.hpp"

#include <numeric>

#include "cpu/reference/normalization/batch_normalization_impl.hpp"

namespace kiln::cpu::reference {

channel_tasks_t::channel_tasks_t(const batch_normalization_pd_t &pd)
    : channels_(pd.channels()) {
    constexpr dim_t bits_per_byte = 8;
    dims_t blocks;
    block_sizes(pd.src(), blocks);
    grain_ = std::lcm(bits_per_byte, blocks[1]);
    skipped_ = pd.src().padded_offsets[1] % grain_;
}

refusal_t batch_normalization_accept(batch_normalization_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops of a gradient are not supported");
    pd.set_scratchpad_size(rank_message_t::bytes(pd.attr().ranks, pd.message_size()));
    return pd.is_forward() ? accepted_for<batch_normalization_fwd_t>(pd, plan)
                           : accepted_for<batch_normalization_bwd_t>(pd, plan);
}

} // namespace kiln::cpu::reference
