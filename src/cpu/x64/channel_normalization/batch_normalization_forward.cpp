// SPDX-License-Identifier: Apache-2.0
// Batch normalization forward: every channel has statistics of its own.

#include "cpu/x64/channel_normalization/batch_normalization_forward.hpp"

#include <algorithm>

namespace kiln::x64::channel_normalization {

channels_forward_desc_t batch_normalization_forward_t::desc_of(const batch_normalization_pd_t &pd) {
    constexpr unsigned channels = 1u << 1;
    const auto *const mask = pd.has_relu_mask() ? &pd.relu_mask() : nullptr;
    return {pd, channels, 1, pd.src(), pd.dst(), mask, pd.reads_stats(), pd.writes_stats(),
            pd.has_relu(), pd.has_add(), false, pd.channels(), pd.desc().epsilon,
            post_op_operands_of(pd, channel_plan_t::row_axis(pd.src()))};
}

bool batch_normalization_forward_t::finish(
        const execution_t &e, dim_t unit, dim_t part, bool is_last) const {
    const channel_range_t range = channel_range(plan(), unit, part);
    const auto [_, begin, count] = range;
    const channel_totals_t totals = total_sums(plan(), arrays(), e.sums, range);
    const float *const pivots = pivots_of(e, unit) + begin;
    const auto size = static_cast<double>(channel_size_);
    float mean[channel_totals_t::capacity], variance[channel_totals_t::capacity];
    bool is_far = false;
    for (dim_t i = 0; i < count; ++i) {
        const double offset = totals.first[i] / size;
        const double squares = totals.second[i] - totals.first[i] * offset;
        const double v = (squares < 0 ? 0 : squares) / size; // NaN stays
        const double m = static_cast<double>(pivots[i]) + offset;
        mean[i] = static_cast<float>(m);
        variance[i] = static_cast<float>(v);
        if (!is_last && is_pivot_far(pivots[i], offset, v)) {
            set_pivot(e, unit, begin + i, pivot_near(m, v, offset));
            is_far = true;
        }
    }
    if (is_far) return false;
    if (desc().writes_stats) {
        const dim_t channel = plan().first_channel(unit) + begin;
        std::copy_n(mean, count, e.mean + channel);
        std::copy_n(variance, count, e.variance + channel);
    }
    set_values(e, range, mean, variance);
    return true;
}

void batch_normalization_forward_t::take_given(const execution_t &e, dim_t first, dim_t end) const {
    for_each_unit(plan(), first, end, [&](const channel_range_t &range) {
        const dim_t channel = plan().first_channel(range.unit);
        set_values(e, range, e.mean + channel, e.variance + channel);
    });
}

} // namespace kiln::x64::channel_normalization
