// SPDX-License-Identifier: Apache-2.0
// The scalar truth of batch normalization: which problems it takes, and how it is cut into tasks.

#include "cpu/reference/batch_normalization.hpp"

#include <numeric>

#include "cpu/reference/batch_normalization_impl.hpp"
#include "cpu/reference/empty_normalization.hpp"

namespace kiln::cpu::reference {

channel_tasks_t::channel_tasks_t(const batch_normalization_pd_t &pd)
    : channels_(pd.channels()) {
    constexpr dim_t bits_per_byte = 8;
    dims_t blocks;
    block_sizes(pd.src(), blocks);
    grain_ = std::lcm(bits_per_byte, blocks[1]);
    skipped_ = pd.src().padded_offsets[1] % grain_;
}

refusal_t batch_normalization_empty_accept(batch_normalization_pd_t &pd) {
    return has_zero_dim(pd.src()) ? accepted() : refused("src has elements");
}

status_t batch_normalization_empty_create(
        const batch_normalization_pd_t &, std::unique_ptr<primitive_impl_t> &impl) {
    impl = make_empty_normalization();
    return dnnl_success;
}

refusal_t batch_normalization_accept(batch_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops on a gradient");
    return accepted();
}

status_t batch_normalization_create(
        const batch_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<batch_normalization_fwd_t>(pd);
    else
        impl = std::make_unique<batch_normalization_bwd_t>(pd);
    return dnnl_success;
}

} // namespace kiln::cpu::reference
