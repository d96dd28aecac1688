// SPDX-License-Identifier: Apache-2.0
// Group normalization forward: the channels of a sample's group have statistics together.

#include "cpu/x64/channel_normalization/group_normalization_forward.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::x64::channel_normalization {

channels_forward_desc_t group_normalization_forward_t::desc_of(const group_normalization_pd_t &pd) {
    constexpr unsigned samples_and_channels = 1u << 0 | 1u << 1;
    return {pd, samples_and_channels, pd.channels_per_group(), pd.src(), pd.dst(), nullptr,
            pd.reads_stats(), pd.writes_stats(), false, false,
            pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST) >= 0, pd.channels(), pd.desc().epsilon,
            post_op_operands_of(pd, channel_plan_t::row_axis(pd.src()))};
}

group_normalization_forward_t::group_normalization_forward_t(
        const group_normalization_pd_t &pd, channel_plan_t plan)
    : channels_forward_t(desc_of(pd), std::move(plan))
    , groups_(this->plan(), pd.channels_per_group())
    , plane_size_(pd.plane_size()) {}

group_normalization_forward_t::group_moments_t group_normalization_forward_t::moments_of(
        const execution_t &e, dim_t group) const {
    const auto plane = static_cast<double>(plane_size_);
    // Means of channels from the first one's K, which is near all of them or they are far apart.
    double first_pivot = 0, sum = 0, squares = 0;
    dim_t channels = 0;
    group_moments_t moments{};
    groups_.for_each_range(group, [&](const channel_range_t &p) {
        const channel_totals_t totals = total_sums(plan(), arrays(), e.sums, p);
        const float *const pivots = pivots_of(e, p.unit) + p.begin;
        if (channels == 0) first_pivot = static_cast<double>(pivots[0]);
        for (dim_t i = 0; i < p.count; ++i) {
            const double offset = totals.first[i] / plane;
            const double distance = static_cast<double>(pivots[i]) - first_pivot + offset;
            sum += distance;
            squares += totals.second[i] - totals.first[i] * offset + plane * distance * distance;
            const bool is_farther =
                    !std::isfinite(pivots[i]) || std::abs(offset) >= std::abs(moments.offset);
            if (std::isfinite(moments.pivot) && is_farther) {
                moments.offset = offset;
                moments.pivot = pivots[i];
            }
        }
        channels += p.count;
    });
    const double mean_distance = sum / static_cast<double>(channels);
    const double centered = squares - plane * sum * mean_distance;
    moments.mean = first_pivot + mean_distance;
    moments.variance = (centered < 0 ? 0 : centered) / (plane * static_cast<double>(channels));
    return moments;
}

bool group_normalization_forward_t::finish(
        const execution_t &e, dim_t team, dim_t part, bool is_last) const {
    const dim_t group = groups_.group(team, part);
    const group_moments_t m = moments_of(e, group);
    if (!is_last && is_pivot_far(m.pivot, m.offset, m.variance)) {
        const float pivot = pivot_near(m.mean, m.variance, m.offset);
        groups_.for_each_range(group, [&](const channel_range_t &p) {
            for (dim_t i = 0; i < p.count; ++i) set_pivot(e, p.unit, p.begin + i, pivot);
        });
        return false;
    }
    const auto mean = static_cast<float>(m.mean), variance = static_cast<float>(m.variance);
    if (desc().writes_stats) {
        e.mean[group] = mean;
        e.variance[group] = variance;
    }
    groups_.for_each_range(
            group, [&](const channel_range_t &p) { set_group_values(e, p, mean, variance); });
    return true;
}

void group_normalization_forward_t::take_given(const execution_t &e, dim_t first, dim_t end) const {
    groups_.for_each_range_of_units(first, end, [&](const channel_range_t &range, dim_t group) {
        set_group_values(e, range, e.mean[group], e.variance[group]);
    });
}

void group_normalization_forward_t::set_group_values(
        const execution_t &e, const channel_range_t &range, float mean, float variance) const {
    float means[channel_totals_t::capacity], variances[channel_totals_t::capacity];
    std::fill_n(means, range.count, mean);
    std::fill_n(variances, range.count, variance);
    set_values(e, range, means, variances);
}

} // namespace kiln::x64::channel_normalization
