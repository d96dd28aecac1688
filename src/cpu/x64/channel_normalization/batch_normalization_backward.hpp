// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward: sums of a channel say what its gradients are.
#pragma once

#include "common/operations/batch_normalization_pd.hpp"
#include "cpu/x64/channel_normalization/channels_backward.hpp"

namespace kiln::x64::channel_normalization {

/// With r = 1 / sqrt(variance + epsilon) and the sums s1, s2 over the n elements of a channel,
///     diff_shift = s1,   diff_scale = r * s2,
///     diff_src = scale * r * (diff_dst - s1 / n - (x - mean) * r * r * s2 / n).
class batch_normalization_backward_t : public channels_backward_t {
public:
    batch_normalization_backward_t(const batch_normalization_pd_t &pd, channel_plan_t plan)
        : channels_backward_t(desc_of(pd), std::move(plan))
        , channel_size_(pd.channel_size()) {}

    static channels_backward_desc_t desc_of(const batch_normalization_pd_t &pd);

private:
    dim_t units_per_statistics_group() const override { return 1; }
    dim_t tasks_per_statistics_group() const override { return channel_ranges(plan()); }
    void begin(const execution_t &e, dim_t first, dim_t end) const override;
    void finish(const execution_t &e, dim_t unit, dim_t part) const override;

    const dim_t channel_size_;
};

} // namespace kiln::x64::channel_normalization
