// SPDX-License-Identifier: Apache-2.0
// From sums of channels to statistics and gradients of groups of channels.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpu/parallel.hpp"
#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// In four parts, which do not wait for each other.
KILN_AVX2 double sum_of(const double *values, dim_t count) {
    constexpr dim_t parts = 4;
    double sums[parts]{};
    dim_t i = 0;
    for (; i + parts <= count; i += parts)
        for (dim_t part = 0; part < parts; ++part) sums[part] += values[i + part];
    for (; i < count; ++i) sums[0] += values[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

KILN_AVX2 void forward_execution_t::find_moments(
        const group_range_t &groups, group_moments_t &moments) const {
    const auto plane = static_cast<double>(plan_.problem.channel_size);
    const auto channels = static_cast<double>(plan_.problem.channels_per_group);
    constexpr dim_t capacity = channel_totals_t::capacity;
    // x is summed about the pivot P of the group's first channel. With a channel's pivot K, sums
    // s1, s2 about it and d = K - P: sum(x - P) = s1 + plane * d, and
    // sum((x - P)^2) = s2 + d * (2 * s1 + plane * d).
    double pivots_of_groups[capacity], sums[capacity], squares[capacity], distances[capacity];
    dim_t channel = 0;
    plan_.groups.for_each_range(groups, [&](const channel_range_t &range) {
        const channel_totals_t totals = totals_of(range);
        const float *const pivots = pivots_of(range.unit) + range.begin;
        const dim_t each = range.count / groups.count;
        if (channel == 0)
            for (dim_t group = 0; group < groups.count; ++group) {
                pivots_of_groups[group] = static_cast<double>(pivots[group * each]);
                sums[group] = squares[group] = distances[group] = 0;
            }
        channel += range.count;
        double first[capacity], second[capacity], square[capacity];
        copy_to_channels(groups, pivots_of_groups, range.count, first);
        // A loop without branches: the compiler turns it into vector instructions.
        for (dim_t i = 0; i < range.count; ++i) {
            const double d = static_cast<double>(pivots[i]) - first[i], sum = totals.first[i];
            first[i] = sum + plane * d;
            second[i] = totals.second[i] + d * (sum + first[i]);
            square[i] = sum * sum;
        }
        for (dim_t group = 0, i = 0; group < groups.count; ++group, i += each) {
            sums[group] += sum_of(first + i, each);
            squares[group] += sum_of(second + i, each);
            distances[group] += sum_of(square + i, each);
        }
    });
    const double size = plane * channels;
    for (dim_t group = 0; group < groups.count; ++group) {
        const double distance = sums[group] / size;
        const double centered = squares[group] - sums[group] * distance;
        moments.means[group] = pivots_of_groups[group] + distance;
        moments.squares[group] = centered < 0 ? 0 : centered; // NaN stays NaN
        moments.variances[group] = moments.squares[group] * (1 / size);
        moments.distances[group] = distances[group] * (1 / (size * plane));
    }
}

bool forward_execution_t::finish_groups(const group_range_t &groups, bool is_last) const {
    group_moments_t moments;
    find_moments(groups, moments);
    bool is_done = true;
    for (dim_t i = 0; i < groups.count && !is_last; ++i) {
        const double distance = moments.distances[i], variance = moments.variances[i];
        const group_range_t group{groups.first + i, 1};
        // About a pivot that is not finite, neither is the variance.
        const double pivot = std::isfinite(variance) ? 0 : sum_of_pivots(group);
        if (!is_pivot_far(pivot, distance, variance)) continue;
        set_pivots(group, pivot_near(moments.means[i], variance, distance));
        is_done = false;
    }
    if (is_done) give_groups(groups, moments.means, moments.squares);
    return is_done;
}

double forward_execution_t::sum_of_pivots(const group_range_t &group) const {
    double sum = 0;
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        const float *const pivots = pivots_of(range.unit) + range.begin;
        sum = std::accumulate(pivots, pivots + range.count, sum);
    });
    return sum;
}

void forward_execution_t::set_pivots(const group_range_t &group, float pivot) const {
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        for (dim_t i = 0; i < range.count; ++i) set_pivot(range.unit, range.begin + i, pivot);
    });
}

KILN_AVX2 void forward_execution_t::take_groups(
        const group_range_t &groups, const double *mean, const double *squares, double size) const {
    statistics_t statistics;
    take_statistics(groups.first, groups.count, mean, squares, size, statistics);
    plan_.groups.for_each_range(groups, [&](const channel_range_t &range) {
        constexpr dim_t capacity = channel_totals_t::capacity;
        float centers[capacity], remainders[capacity], deviations[capacity];
        copy_to_channels(groups, statistics.centers, range.count, centers);
        copy_to_channels(groups, statistics.remainders, range.count, remainders);
        copy_to_channels(groups, statistics.deviations, range.count, deviations);
        set_computed_values(range, centers, remainders, deviations);
    });
}

bool backward_execution_t::finish_groups(const group_range_t &groups, bool) const {
    const channels_problem_t &problem = plan_.problem;
    const auto epsilon = static_cast<double>(problem.epsilon);
    const float *const variances = at(parameter_t::variance) + groups.first;
    const float *const scales = at(parameter_t::scale);
    double *const diff_scales = sample_gradients_;
    double *const diff_shifts = diff_scales + problem.samples * problem.channels;
    constexpr dim_t capacity = channel_totals_t::capacity;
    double r[capacity], first[capacity], second[capacity];
    for (dim_t i = 0; i < groups.count; ++i) {
        r[i] = 1 / std::sqrt(static_cast<double>(variances[i]) + epsilon);
        first[i] = second[i] = 0;
    }
    plan_.groups.for_each_range(groups, [&](const channel_range_t &range) {
        const channel_totals_t totals = totals_of(range);
        const dim_t channel = channels_.first_channel(range.unit) + range.begin;
        const float *const scale = scales ? scales + channel % problem.channels : nullptr;
        const dim_t each = range.count / groups.count;
        for (dim_t group = 0, i = 0; group < groups.count; ++group)
            for (const dim_t end = i + each; i < end; ++i) {
                const double factor = scale ? static_cast<double>(scale[i]) : 1;
                first[group] += factor * totals.first[i];
                second[group] += factor * totals.second[i];
                diff_scales[channel + i] = r[group] * totals.second[i];
                diff_shifts[channel + i] = totals.first[i];
            }
    });
    give_groups(groups, first, second);
    return true;
}

void backward_execution_t::take_groups(
        const group_range_t &groups, const double *first, const double *second, double size) const {
    const auto epsilon = static_cast<double>(plan_.problem.epsilon);
    const float *const variances = at(parameter_t::variance) + groups.first;
    float offsets[channel_totals_t::capacity], slopes[channel_totals_t::capacity];
    for (dim_t i = 0; i < groups.count; ++i) {
        const double variance = static_cast<double>(variances[i]) + epsilon;
        const double r = 1 / std::sqrt(variance);
        offsets[i] = static_cast<float>(-r * first[i] / size);
        slopes[i] = static_cast<float>(-r * second[i] / (variance * size));
    }
    plan_.groups.for_each_range(groups, [&](const channel_range_t &range) {
        const auto values = [&](int value) { return values_of(range.unit, value) + range.begin; };
        copy_to_channels(groups, offsets, range.count, values(channel_value::offset));
        copy_to_channels(groups, slopes, range.count, values(channel_value::slope));
        if (size != 1 || plan_.problem.has_constant_stats) return;
        // dst is the shift alone, of which rounding would leave something else than 0.
        for (const auto value :
                {channel_value::offset, channel_value::slope, channel_value::factor})
            fill_values(range, value, 0);
    });
}

template <typename store_t>
void backward_execution_t::add_up_samples(const double *of_samples, const store_t &store) const {
    const dim_t channels = plan_.problem.channels, samples = plan_.problem.samples;
    constexpr dim_t channels_per_task = 1024;
    cpu::parallel_chunks(channels, channels_per_task, [&](dim_t begin, dim_t end) {
        for (dim_t c = begin; c < end; ++c) {
            double sum = 0;
            for (dim_t n = 0; n < samples; ++n) sum += of_samples[n * channels + c];
            store(c, sum);
        }
    });
}

status_t backward_execution_t::exchange() const {
    const bool has_weights = at(parameter_t::diff_scale) || at(parameter_t::diff_shift);
    if (!plan_.problem.combines_statistics && !has_weights) return dnnl_success;
    if (message_ && has_sums() && message_->size().weights != 0) {
        const double *of_samples = sample_gradients_;
        for (double *const to : {message_->second_weights(), message_->first_weights()}) {
            add_up_samples(of_samples, [&](dim_t c, double sum) { to[c] = sum; });
            of_samples += plan_.problem.samples * plan_.problem.channels;
        }
    }
    return channels_execution_t::exchange();
}

void backward_execution_t::set_weight_gradients() const {
    if (!has_sums() || plan_.groups.are_per_channel()) return;
    const auto set = [&](float *to, const double *of_samples, const double *combined) {
        if (to == nullptr) return;
        if (plan_.problem.combines_weight_gradients)
            std::copy_n(combined, plan_.problem.channels, to);
        else
            add_up_samples(
                    of_samples, [&](dim_t c, double sum) { to[c] = static_cast<float>(sum); });
    };
    const double *const diff_scales = sample_gradients_;
    const double *const diff_shifts = diff_scales + plan_.problem.samples * plan_.problem.channels;
    set(at(parameter_t::diff_scale), diff_scales, message_ ? message_->second_weights() : nullptr);
    set(at(parameter_t::diff_shift), diff_shifts, message_ ? message_->first_weights() : nullptr);
}

} // namespace kiln::x64::channel_normalization
