// SPDX-License-Identifier: Apache-2.0
// Group normalization forward: the channels of a sample's group have statistics together.
#pragma once

#include "common/operations/group_normalization_pd.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"
#include "cpu/x64/channel_normalization/statistics_groups.hpp"

namespace kiln::x64::channel_normalization {

/// A channel is one of a sample here: there are N * C.
class group_normalization_forward_t : public channels_forward_t {
public:
    group_normalization_forward_t(const group_normalization_pd_t &pd, channel_plan_t plan);

    static channels_forward_desc_t desc_of(const group_normalization_pd_t &pd);

private:
    /// Of a group, with the K that lies farthest off its channel's mean, by how much.
    struct group_moments_t {
        double mean, variance;
        float pivot;
        double offset;
    };

    group_moments_t moments_of(const execution_t &e, dim_t group) const;
    dim_t units_per_statistics_group() const override {
        return groups_.units_per_statistics_group();
    }
    dim_t tasks_per_statistics_group() const override {
        return groups_.groups_per_statistics_group();
    }
    bool finish(const execution_t &e, dim_t team, dim_t part, bool is_last) const override;
    void take_given(const execution_t &e, dim_t first, dim_t end) const override;
    void set_group_values(
            const execution_t &e, const channel_range_t &range, float mean, float variance) const;

    const statistics_groups_t groups_;
    const dim_t plane_size_;
};

} // namespace kiln::x64::channel_normalization
