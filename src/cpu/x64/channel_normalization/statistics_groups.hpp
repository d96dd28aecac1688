// SPDX-License-Identifier: Apache-2.0
// Which channels of which units make a group of one sample. It must not know what is done to them.
#pragma once

#include <algorithm>

#include "cpu/x64/channels/channel_sums.hpp"

namespace kiln::x64::channel_normalization {

/// Channels are those of samples, N * C, in this order; groups, N * G, likewise. In planes a team
/// is the units of a group; in columns it is one unit, which has all groups of a sample (or, of
/// one-channel samples side by side, of all of them).
class statistics_groups_t {
public:
    statistics_groups_t(const channel_plan_t &plan, dim_t channels_per_group)
        : channels_per_unit_(plan.rows_kind() == channel_rows_t::planes ? 1 : plan.line())
        , channels_per_group_(channels_per_group)
        , channels_per_statistics_group_(std::max(channels_per_unit_, channels_per_group)) {}

    dim_t units_per_statistics_group() const {
        return channels_per_statistics_group_ / channels_per_unit_;
    }
    dim_t groups_per_statistics_group() const {
        return channels_per_statistics_group_ / channels_per_group_;
    }
    /// The group, N * G, that is part `part` of a team.
    dim_t group(dim_t team, dim_t part) const {
        return team * groups_per_statistics_group() + part;
    }

    /// Calls `body(range)` for the channels of a group.
    template <typename body_t> void for_each_range(dim_t group, const body_t &body) const {
        const dim_t first = group * channels_per_group_, end = first + channels_per_group_;
        const dim_t unit = first / channels_per_unit_;
        for (dim_t channel = first; channel < end; channel += channel_totals_t::capacity)
            body(channel_range_t{unit, channel - unit * channels_per_unit_,
                    std::min(channel_totals_t::capacity, end - channel)});
    }
    /// Calls `body(range, group)` for the channels of units [first, end), whole teams.
    template <typename body_t>
    void for_each_range_of_units(dim_t first, dim_t end, const body_t &body) const {
        const dim_t first_group = first * channels_per_unit_ / channels_per_group_;
        const dim_t end_group = end * channels_per_unit_ / channels_per_group_;
        for (dim_t group = first_group; group < end_group; ++group)
            for_each_range(group, [&](const channel_range_t &range) { body(range, group); });
    }

private:
    dim_t channels_per_unit_, channels_per_group_, channels_per_statistics_group_;
};

} // namespace kiln::x64::channel_normalization
