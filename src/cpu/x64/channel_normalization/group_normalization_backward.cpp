// SPDX-License-Identifier: Apache-2.0
// Group normalization backward: sums of a group's channels, weighted by scale, say what its
// gradients are.

#include "cpu/x64/channel_normalization/group_normalization_backward.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/parallel.hpp"

namespace kiln::x64::channel_normalization {

channels_backward_desc_t group_normalization_backward_t::desc_of(
        const group_normalization_pd_t &pd) {
    constexpr unsigned samples_and_channels = 1u << 0 | 1u << 1;
    return {pd, samples_and_channels, pd.channels_per_group(), pd.src(), pd.diff_dst(),
            pd.diff_src(), {}, false, pd.has_global_stats(), pd.channels(), pd.desc().epsilon};
}

size_t group_normalization_backward_t::shares_size(const group_normalization_pd_t &pd) {
    return static_cast<size_t>(2 * pd.samples() * pd.channels()) * sizeof(double);
}

group_normalization_backward_t::group_normalization_backward_t(
        const group_normalization_pd_t &pd, channel_plan_t plan)
    : channels_backward_t(desc_of(pd), std::move(plan))
    , groups_(this->plan(), pd.channels_per_group())
    , group_size_(pd.group_size())
    , samples_(pd.samples()) {}

void group_normalization_backward_t::begin(const execution_t &e, dim_t first, dim_t end) const {
    groups_.for_each_range_of_units(first, end, [&](const channel_range_t &range, dim_t group) {
        float means[channel_totals_t::capacity], variances[channel_totals_t::capacity];
        std::fill_n(means, range.count, e.mean[group]);
        std::fill_n(variances, range.count, e.variance[group]);
        set_factors(e, range, means, variances);
    });
}

void group_normalization_backward_t::finish(const execution_t &e, dim_t team, dim_t part) const {
    const dim_t group = groups_.group(team, part);
    const double variance =
            static_cast<double>(e.variance[group]) + static_cast<double>(desc().epsilon);
    const double r = 1 / std::sqrt(variance);
    double *const diff_scales = shares(e);
    double *const diff_shifts = diff_scales + samples_ * desc().channels;
    double first = 0, second = 0;
    groups_.for_each_range(group, [&](const channel_range_t &p) {
        const channel_totals_t totals = totals_of(e, p);
        const dim_t channel = plan().first_channel(p.unit) + p.begin;
        for (dim_t i = 0; i < p.count; ++i) {
            const dim_t c = (channel + i) % desc().channels;
            const double scale = e.scale ? static_cast<double>(e.scale[c]) : 1;
            first += scale * totals.first[i];
            second += scale * totals.second[i];
            diff_scales[channel + i] = r * totals.second[i];
            diff_shifts[channel + i] = totals.first[i];
        }
    });
    const auto size = static_cast<double>(group_size_);
    const auto offset = static_cast<float>(-r * first / size);
    const auto slope = static_cast<float>(-r * second / (variance * size));
    groups_.for_each_range(group, [&](const channel_range_t &p) {
        std::fill_n(offsets_of(e, p.unit) + p.begin, p.count, offset);
        std::fill_n(slopes_of(e, p.unit) + p.begin, p.count, slope);
    });
}

void group_normalization_backward_t::finish_all(const execution_t &e) const {
    const dim_t channels = desc().channels;
    const auto add_up = [&](const double *of_samples, float *to) {
        if (to == nullptr) return;
        constexpr dim_t channels_per_task = 1024;
        cpu::parallel_chunks(channels, channels_per_task, [&](dim_t begin, dim_t end) {
            for (dim_t c = begin; c < end; ++c) {
                double sum = 0;
                for (dim_t n = 0; n < samples_; ++n) sum += of_samples[n * channels + c];
                to[c] = static_cast<float>(sum);
            }
        });
    };
    add_up(shares(e), e.diff_scale);
    add_up(shares(e) + samples_ * channels, e.diff_shift);
}

} // namespace kiln::x64::channel_normalization
