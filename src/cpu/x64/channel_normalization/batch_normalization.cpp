// SPDX-License-Identifier: Apache-2.0
// From sums to statistics and gradients of channels that each have statistics of their own.

#include <algorithm>
#include <cmath>

#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64::channel_normalization {

KILN_AVX2 bool forward_execution_t::finish_channels(
        const channel_range_t &range, bool is_last) const {
    const auto [unit, begin, count] = range;
    const channel_totals_t totals = totals_of(range);
    const float *const pivots = pivots_of(unit) + begin;
    const auto size = static_cast<double>(plan_.problem.channel_size);
    const double share = 1 / size;
    channel_totals_t moments;
    double distances[channel_totals_t::capacity], variances[channel_totals_t::capacity];
    // A loop without branches: the compiler turns it into vector instructions.
    for (dim_t i = 0; i < count; ++i) {
        const double offset = totals.first[i] / size;
        const double squares = totals.second[i] - totals.first[i] * offset;
        moments.first[i] = static_cast<double>(pivots[i]) + offset;
        moments.second[i] = squares < 0 ? 0 : squares; // NaN stays NaN
        variances[i] = moments.second[i] * share;
        distances[i] = offset * offset;
    }
    int64_t has_far_pivot = 0; // as wide as doubles, for the same reason
    for (dim_t i = 0; i < count; ++i)
        has_far_pivot |= is_pivot_far(pivots[i], distances[i], variances[i]) ? 1 : 0;
    if (is_last || !has_far_pivot) {
        give_channels(range, moments);
        return true;
    }
    for (dim_t i = 0; i < count; ++i)
        if (is_pivot_far(pivots[i], distances[i], variances[i]))
            set_pivot(unit, begin + i, pivot_near(moments.first[i], variances[i], distances[i]));
    return false;
}

void forward_execution_t::take_channels(
        const channel_range_t &range, const ready_sums_t &moments) const {
    if (!moments.statistics) return;
    const channel_totals_t &sums = *moments.statistics;
    statistics_t statistics;
    take_statistics(channels_.first_channel(range.unit) + range.begin, range.count, sums.first,
            sums.second, moments.size, statistics);
    set_computed_values(range, statistics.centers, statistics.remainders, statistics.deviations);
}

bool backward_execution_t::finish_channels(const channel_range_t &range, bool) const {
    give_channels(range, totals_of(range));
    return true;
}

void backward_execution_t::take_channels(
        const channel_range_t &range, const ready_sums_t &sums) const {
    if (!sums.statistics && !sums.weights) return;
    const auto [unit, begin, count] = range;
    const dim_t channel = channels_.first_channel(unit) + begin;
    const auto epsilon = static_cast<double>(plan_.problem.epsilon);
    const float *const variances = at(parameter_t::variance) + channel;
    const float *const scales = at(parameter_t::scale);
    float *const diff_scale = sums.weights ? at(parameter_t::diff_scale) : nullptr;
    float *const diff_shift = sums.weights ? at(parameter_t::diff_shift) : nullptr;
    // Loops without branches: the compiler turns each into vector instructions.
    double r[channel_totals_t::capacity];
    for (dim_t i = 0; i < count; ++i)
        r[i] = 1 / std::sqrt(static_cast<double>(variances[i]) + epsilon);
    if (diff_scale)
        for (dim_t i = 0; i < count; ++i)
            diff_scale[channel + i] = static_cast<float>(r[i] * sums.weights->second[i]);
    if (diff_shift) std::copy_n(sums.weights->first, count, diff_shift + channel);
    if (!sums.statistics) return;

    float *const offsets = values_of(unit, channel_value::offset) + begin;
    float *const slopes = values_of(unit, channel_value::slope) + begin;
    if (sums.size == 1 && !plan_.problem.has_constant_stats) {
        // dst is the shift alone, of which rounding would leave something else than 0.
        for (float *const values :
                {offsets, slopes, values_of(unit, channel_value::factor) + begin})
            std::fill_n(values, count, 0.f);
        return;
    }
    double factors[channel_totals_t::capacity]; // -scale * r / size
    for (dim_t i = 0; i < count; ++i) factors[i] = r[i] * (-1 / sums.size);
    if (scales)
        for (dim_t i = 0; i < count; ++i) factors[i] *= static_cast<double>(scales[channel + i]);
    for (dim_t i = 0; i < count; ++i) {
        offsets[i] = static_cast<float>(factors[i] * sums.statistics->first[i]);
        slopes[i] = static_cast<float>(factors[i] * (r[i] * r[i]) * sums.statistics->second[i]);
    }
}

} // namespace kiln::x64::channel_normalization
