// SPDX-License-Identifier: Apache-2.0
// Which channels share statistics, and which units form a statistics group for that reason.
#pragma once

#include <algorithm>

#include "cpu/x64/channels/channel_sums.hpp"

namespace kiln::x64::channel_normalization {

/// Consecutive groups of a unit whose channels fit into channel_totals_t; or one group.
struct group_range_t {
    dim_t first, count;
};

/// Statistics are numbered: where each channel has its own, as in batch normalization, they are
/// those of channel i; for group normalization those of group i, counted over all samples, N * G.
///
/// A statistics group is the smallest set of units whose sums give whole statistics. Where each
/// channel has its own, it is a unit. For group normalization in planes, where a unit has one
/// channel, it is the units of a group; in columns it is one unit, which has all groups of a sample
/// (or several samples of one channel each).
class statistics_groups_t {
public:
    /// `channels`: of a sample. `channels_per_group`: 0 if each channel has statistics of its own.
    /// Refers to the plan.
    statistics_groups_t(const channel_plan_t &plan, dim_t channels, dim_t channels_per_group)
        : plan_(plan)
        , channels_(channels)
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

    /// Calls `body(groups)` for groups [first, end), as many at once as a group_range_t may have.
    template <typename body_t>
    void for_each_group_range(dim_t first, dim_t end, const body_t &body) const {
        // All of one sample, and in columns all of one unit.
        const bool is_planes = plan_.rows_kind() == channel_rows_t::planes;
        const dim_t together = (is_planes ? channels_ : std::min(channels_, channels_per_unit_))
                               / channels_per_group_;
        const dim_t most = std::max(dim_t(1), channel_totals_t::capacity / channels_per_group_);
        for (dim_t group = first, count = 1; group < end; group += count) {
            count = std::min({most, end - group, together - group % together});
            body(group_range_t{group, count});
        }
    }
    /// Calls `body(range)` for the channels of groups, in ranges that fit into channel_totals_t:
    /// one range of several groups, or ranges of one group.
    template <typename body_t>
    void for_each_range(const group_range_t &groups, const body_t &body) const {
        const dim_t first = groups.first * channels_per_group_;
        const dim_t end = first + groups.count * channels_per_group_;
        const dim_t unit = first / channels_per_unit_;
        for (dim_t channel = first; channel < end; channel += channel_totals_t::capacity)
            body(channel_range_t{unit, channel - unit * channels_per_unit_,
                    std::min(channel_totals_t::capacity, end - channel)});
    }
    /// The first group of a unit that begins a statistics group.
    dim_t first_group(dim_t unit) const { return unit * channels_per_unit_ / channels_per_group_; }

private:
    const channel_plan_t &plan_;
    dim_t channels_, channels_per_unit_, channels_per_group_, channels_together_;
};

/// Copies a value of each group to its channels, `count` ones of one range.
template <typename from_t, typename to_t>
void copy_to_channels(const group_range_t &groups, const from_t *values, dim_t count, to_t *to) {
    const dim_t each = count / groups.count;
    for (dim_t group = 0; group < groups.count; ++group)
        to = std::fill_n(to, each, static_cast<to_t>(values[group]));
}

} // namespace kiln::x64::channel_normalization
