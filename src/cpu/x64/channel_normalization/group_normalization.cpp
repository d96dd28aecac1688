// SPDX-License-Identifier: Apache-2.0
// From sums of channels to statistics and gradients of groups of channels.

#include <algorithm>
#include <cmath>

#include "cpu/parallel.hpp"
#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"

namespace kiln::x64::channel_normalization {

forward_execution_t::group_moments_t forward_execution_t::moments_of(dim_t group) const {
    const auto plane = static_cast<double>(plan_.problem.channel_size);
    // Means of channels are summed about the first channel's pivot P, squares about each channel's
    // mean: sum((x - mean)^2) + plane * (mean - P)^2, by Chan's formula.
    double first_pivot = 0, sum = 0, squares = 0;
    dim_t count = 0;
    group_moments_t moments{};
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        const channel_totals_t totals = totals_of(range);
        const float *const pivots = pivots_of(range.unit) + range.begin;
        if (count == 0) first_pivot = static_cast<double>(pivots[0]);
        for (dim_t i = 0; i < range.count; ++i) {
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
        count += range.count;
    });
    const double mean_distance = sum / static_cast<double>(count);
    const double centered = squares - plane * sum * mean_distance;
    moments.mean = first_pivot + mean_distance;
    moments.squares = centered < 0 ? 0 : centered;
    moments.variance = moments.squares / (plane * static_cast<double>(count));
    return moments;
}

bool forward_execution_t::finish_group(dim_t group, bool is_last) const {
    const group_moments_t m = moments_of(group);
    if (!is_last && is_pivot_far(m.pivot, m.offset, m.variance)) {
        const float pivot = pivot_near(m.mean, m.variance, m.offset);
        plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
            for (dim_t i = 0; i < range.count; ++i) set_pivot(range.unit, range.begin + i, pivot);
        });
        return false;
    }
    give_group(group, m.mean, m.squares);
    return true;
}

void forward_execution_t::take_group(dim_t group, double mean, double squares, double size) const {
    const auto variance = static_cast<float>(squares / size);
    if (plan_.problem.writes_stats) {
        at(parameter_t::mean)[group] = static_cast<float>(mean);
        at(parameter_t::variance)[group] = variance;
    }
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        double means[channel_totals_t::capacity];
        float variances[channel_totals_t::capacity];
        std::fill_n(means, range.count, mean);
        std::fill_n(variances, range.count, variance);
        set_computed_values(range, means, variances);
    });
}

bool backward_execution_t::finish_group(dim_t group, bool) const {
    const channels_problem_t &problem = plan_.problem;
    const double variance = static_cast<double>(at(parameter_t::variance)[group])
                            + static_cast<double>(problem.epsilon);
    const double r = 1 / std::sqrt(variance);
    const float *const scales = at(parameter_t::scale);
    double *const diff_scales = sample_gradients_;
    double *const diff_shifts = diff_scales + problem.samples * problem.channels;
    double first = 0, second = 0;
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        const channel_totals_t totals = totals_of(range);
        const dim_t channel = channels_.first_channel(range.unit) + range.begin;
        for (dim_t i = 0; i < range.count; ++i) {
            const dim_t c = (channel + i) % problem.channels;
            const double scale = scales ? static_cast<double>(scales[c]) : 1;
            first += scale * totals.first[i];
            second += scale * totals.second[i];
            diff_scales[channel + i] = r * totals.second[i];
            diff_shifts[channel + i] = totals.first[i];
        }
    });
    give_group(group, first, second);
    return true;
}

void backward_execution_t::take_group(dim_t group, double first, double second, double size) const {
    const double variance = static_cast<double>(at(parameter_t::variance)[group])
                            + static_cast<double>(plan_.problem.epsilon);
    const double r = 1 / std::sqrt(variance);
    const auto offset = static_cast<float>(-r * first / size);
    const auto slope = static_cast<float>(-r * second / (variance * size));
    plan_.groups.for_each_range(group, [&](const channel_range_t &range) {
        fill_values(range, channel_value::offset, offset);
        fill_values(range, channel_value::slope, slope);
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
