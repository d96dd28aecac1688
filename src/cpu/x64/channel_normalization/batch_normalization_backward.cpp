// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward: sums of a channel say what its gradients are.

#include "cpu/x64/channel_normalization/batch_normalization_backward.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::x64::channel_normalization {

channels_backward_desc_t batch_normalization_backward_t::desc_of(
        const batch_normalization_pd_t &pd) {
    constexpr unsigned channels = 1u << 1;
    channels_relu_t relu;
    if (pd.has_relu_mask()) relu = {&pd.relu_mask(), DNNL_ARG_WORKSPACE, true};
    if (pd.has_relu_operand()) relu = {&pd.relu_operand(), DNNL_ARG_DST, false};
    return {pd, channels, 1, pd.src(), pd.diff_dst(), pd.diff_src(), relu, pd.has_add(),
            pd.has_global_stats(), pd.channels(), pd.desc().epsilon};
}

void batch_normalization_backward_t::begin(const execution_t &e, dim_t first, dim_t end) const {
    for_each_unit(plan(), first, end, [&](const channel_range_t &range) {
        const dim_t channel = plan().first_channel(range.unit);
        set_factors(e, range, e.mean + channel, e.variance + channel);
    });
}

void batch_normalization_backward_t::finish(const execution_t &e, dim_t unit, dim_t part) const {
    const channel_range_t range = channel_range(plan(), unit, part);
    const auto [_, begin, count] = range;
    const channel_totals_t totals = totals_of(e, range);
    const dim_t channel = plan().first_channel(unit) + begin;
    const auto size = static_cast<double>(channel_size_);
    const auto epsilon = static_cast<double>(desc().epsilon);
    float *const offsets = offsets_of(e, unit) + begin, *const slopes = slopes_of(e, unit) + begin;
    for (dim_t i = 0; i < count; ++i) {
        const double variance = static_cast<double>(e.variance[channel + i]) + epsilon;
        const double r = 1 / std::sqrt(variance);
        const double scale = e.scale ? static_cast<double>(e.scale[channel + i]) : 1;
        offsets[i] = static_cast<float>(-scale * r * totals.first[i] / size);
        slopes[i] = static_cast<float>(-scale * r * totals.second[i] / (variance * size));
        if (e.diff_scale) e.diff_scale[channel + i] = static_cast<float>(r * totals.second[i]);
    }
    if (e.diff_shift) std::copy_n(totals.first, count, e.diff_shift + channel);
}

} // namespace kiln::x64::channel_normalization
