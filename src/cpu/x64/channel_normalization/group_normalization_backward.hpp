// SPDX-License-Identifier: Apache-2.0
// Group normalization backward: sums of a group's channels, weighted by scale, say what its
// gradients are.
#pragma once

#include "common/operations/group_normalization_pd.hpp"
#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/statistics_groups.hpp"

namespace kiln::x64::channel_normalization {

/// With r = 1 / sqrt(variance + epsilon), the sums s1, s2 of a sample's channel, and sums over the
/// channels of a group of n elements,
///     diff_src = r * (scale * diff_dst - sum(scale * s1) / n
///                     - (x - mean) * r * r * sum(scale * s2) / n),
/// and summed over samples, diff_shift = sum(s1), diff_scale = sum(r * s2).
class group_normalization_backward_t : public channels_backward_t {
public:
    group_normalization_backward_t(const group_normalization_pd_t &pd, channel_plan_t plan);

    static channels_backward_desc_t desc_of(const group_normalization_pd_t &pd);
    /// Bytes that each sample's s1 and r * s2 take.
    static size_t shares_size(const group_normalization_pd_t &pd);

private:
    dim_t units_per_statistics_group() const override {
        return groups_.units_per_statistics_group();
    }
    dim_t tasks_per_statistics_group() const override {
        return groups_.groups_per_statistics_group();
    }
    void begin(const execution_t &e, dim_t first, dim_t end) const override;
    void finish(const execution_t &e, dim_t team, dim_t part) const override;
    void finish_all(const execution_t &e) const override;
    /// r * s2 of N * C channels, then their s1.
    double *shares(const execution_t &e) const {
        return reinterpret_cast<double *>(e.rest_of_scratchpad);
    }

    const statistics_groups_t groups_;
    const dim_t group_size_, samples_;
};

} // namespace kiln::x64::channel_normalization
