// SPDX-License-Identifier: Apache-2.0
// Which channels share statistics, and which units form a statistics group for that reason.
#pragma once

#include <algorithm>

#include "cpu/x64/channels/channel_sums.hpp"

namespace kiln::x64::channel_normalization {

/// Statistics are numbered: where each channel has its own, as in batch normalization, they are
/// those of channel i; for group normalization those of group i, counted over all samples, N * G.
///
/// A statistics group is the smallest set of units whose sums give whole statistics. Where each
/// channel has its own, it is a unit. For group normalization in planes, where a unit has one
/// channel, it is the units of a group; in columns it is one unit, which has all groups of a sample
/// (or several samples of one channel each).
class statistics_groups_t {
public:
    /// `channels_per_group`: 0 if each channel has statistics of its own. Refers to the plan.
    statistics_groups_t(const channel_plan_t &plan, dim_t channels_per_group)
        : plan_(plan)
        , channels_per_unit_(plan.channels_per_row())
        , channels_per_group_(channels_per_group)
        , channels_together_(std::max(channels_per_unit_, channels_per_group)) {}

    bool are_per_channel() const { return channels_per_group_ == 0; }

    dim_t units_per_statistics_group() const {
        return are_per_channel() ? 1 : channels_together_ / channels_per_unit_;
    }
    /// Independent tasks that finish a statistics group: per channel, one for each channel_range();
    /// else one for each group.
    dim_t tasks_per_statistics_group() const {
        return are_per_channel() ? channel_ranges(plan_) : channels_together_ / channels_per_group_;
    }

    /// Calls `body(range)` for the channels of a group, in ranges that fit into channel_totals_t.
    template <typename body_t> void for_each_range(dim_t group, const body_t &body) const {
        const dim_t first = group * channels_per_group_, end = first + channels_per_group_;
        const dim_t unit = first / channels_per_unit_;
        for (dim_t channel = first; channel < end; channel += channel_totals_t::capacity)
            body(channel_range_t{unit, channel - unit * channels_per_unit_,
                    std::min(channel_totals_t::capacity, end - channel)});
    }
    /// Calls `body(range, group)` for the channels of units [first, end), whole statistics groups.
    template <typename body_t>
    void for_each_range_of_units(dim_t first, dim_t end, const body_t &body) const {
        const dim_t first_group = first * channels_per_unit_ / channels_per_group_;
        const dim_t end_group = end * channels_per_unit_ / channels_per_group_;
        for (dim_t group = first_group; group < end_group; ++group)
            for_each_range(group, [&](const channel_range_t &range) { body(range, group); });
    }

private:
    const channel_plan_t &plan_;
    dim_t channels_per_unit_, channels_per_group_, channels_together_;
};

} // namespace kiln::x64::channel_normalization
