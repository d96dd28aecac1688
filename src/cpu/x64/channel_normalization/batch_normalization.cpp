// SPDX-License-Identifier: Apache-2.0
// From sums to statistics and gradients of channels that each have statistics of their own.

#include <algorithm>
#include <cmath>

#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"

namespace kiln::x64::channel_normalization {

bool forward_execution_t::finish_channels(const channel_range_t &range, bool is_last) const {
    const auto [unit, begin, count] = range;
    const channel_totals_t totals = totals_of(range);
    const float *const pivots = pivots_of(unit) + begin;
    const auto size = static_cast<double>(plan_.problem.channel_size);
    channel_totals_t moments;
    bool is_far = false;
    for (dim_t i = 0; i < count; ++i) {
        const double offset = totals.first[i] / size;
        const double squares = totals.second[i] - totals.first[i] * offset;
        const double m = static_cast<double>(pivots[i]) + offset;
        moments.first[i] = m;
        moments.second[i] = squares < 0 ? 0 : squares; // NaN stays NaN
        const double v = moments.second[i] / size;
        if (!is_last && is_pivot_far(pivots[i], offset, v)) {
            set_pivot(unit, begin + i, pivot_near(m, v, offset));
            is_far = true;
        }
    }
    if (!is_far) give_channels(range, moments);
    return !is_far;
}

void forward_execution_t::take_channels(
        const channel_range_t &range, const channel_totals_t &moments, double size) const {
    const auto [unit, begin, count] = range;
    float variance[channel_totals_t::capacity];
    for (dim_t i = 0; i < count; ++i) variance[i] = static_cast<float>(moments.second[i] / size);
    if (plan_.problem.writes_stats) {
        const dim_t channel = channels_.first_channel(unit) + begin;
        std::copy_n(moments.first, count, at(parameter_t::mean) + channel);
        std::copy_n(variance, count, at(parameter_t::variance) + channel);
    }
    set_computed_values(range, moments.first, variance);
}

bool backward_execution_t::finish_channels(const channel_range_t &range, bool) const {
    give_channels(range, totals_of(range));
    return true;
}

void backward_execution_t::take_channels(
        const channel_range_t &range, const channel_totals_t &sums, double size) const {
    const auto [unit, begin, count] = range;
    const dim_t channel = channels_.first_channel(unit) + begin;
    const auto epsilon = static_cast<double>(plan_.problem.epsilon);
    const float *const variances = at(parameter_t::variance) + channel;
    const float *const scales = at(parameter_t::scale);
    float *const offsets = values_of(unit, channel_value::offset) + begin;
    float *const slopes = values_of(unit, channel_value::slope) + begin;
    for (dim_t i = 0; i < count; ++i) {
        const double variance = static_cast<double>(variances[i]) + epsilon;
        const double r = 1 / std::sqrt(variance);
        const double scale = scales ? static_cast<double>(scales[channel + i]) : 1;
        offsets[i] = static_cast<float>(-scale * r * sums.first[i] / size);
        slopes[i] = static_cast<float>(-scale * r * sums.second[i] / (variance * size));
    }
}

void backward_execution_t::take_weight_gradients(
        const channel_range_t &range, const channel_totals_t &sums) const {
    const dim_t channel = channels_.first_channel(range.unit) + range.begin;
    const auto epsilon = static_cast<double>(plan_.problem.epsilon);
    const float *const variances = at(parameter_t::variance) + channel;
    if (float *const diff_scale = at(parameter_t::diff_scale))
        for (dim_t i = 0; i < range.count; ++i) {
            const double r = 1 / std::sqrt(static_cast<double>(variances[i]) + epsilon);
            diff_scale[channel + i] = static_cast<float>(r * sums.second[i]);
        }
    if (float *const diff_shift = at(parameter_t::diff_shift))
        std::copy_n(sums.first, range.count, diff_shift + channel);
}

} // namespace kiln::x64::channel_normalization
