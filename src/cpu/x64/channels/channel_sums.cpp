// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the values and sums of channels between two sweeps.

#include "cpu/x64/channels/channel_sums.hpp"

#include <algorithm>
#include <cmath>

#include "common/integers.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64 {

dim_t channel_ranges(const channel_plan_t &plan) {
    constexpr dim_t most = channel_totals_t::capacity;
    return divide_up(plan.channels_per_row(), most);
}

channel_range_t channel_range(const channel_plan_t &plan, dim_t unit, dim_t index) {
    const dim_t begin = index * channel_totals_t::capacity;
    const dim_t left = std::max(dim_t(0), plan.channels_of(unit) - begin);
    return {unit, begin, std::min(channel_totals_t::capacity, left)};
}

float *cleared_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const channel_chunk_t &chunk, float *sums) {
    sums += chunk.unit * arrays.unit_sums + chunk.partial * arrays.partial_pitch;
    if (plan.rows_kind() == channel_rows_t::planes) {
        // A chunk has several units only if each has one partial sum.
        std::fill_n(sums, chunk.units * arrays.partial_pitch, 0.f);
        return sums;
    }
    const dim_t count =
            plan.packed_rows() > 1 ? plan.packed_line() : chunk.end_column - chunk.first_column;
    for (dim_t sum = 0; sum < arrays.sums; ++sum)
        std::fill_n(sums + sum * arrays.sum_pitch + chunk.first_column, count, 0.f);
    return sums;
}

KILN_AVX2 channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, const channel_range_t &range) {
    channel_totals_t totals;
    const dim_t each = plan.elements_per_channel();
    sums += range.unit * arrays.unit_sums;
    if (plan.rows_kind() == channel_rows_t::columns && each == 1 && plan.packed_rows() == 1
            && plan.partials_per_unit() == 1) {
        sums += range.begin;
        std::copy_n(sums, range.count, totals.first);
        std::copy_n(sums + arrays.sum_pitch, range.count, totals.second);
        return totals;
    }
    std::fill_n(totals.first, range.count, 0.);
    std::fill_n(totals.second, range.count, 0.);
    const auto add = [&](const float *first, dim_t pitch) {
        const float *const second = first + arrays.sum_pitch;
        for (dim_t c = 0; c < range.count; ++c) {
            totals.first[c] += static_cast<double>(first[c * pitch]);
            totals.second[c] += static_cast<double>(second[c * pitch]);
        }
    };
    for (dim_t partial = 0; partial < plan.partials_per_unit();
            ++partial, sums += arrays.partial_pitch) {
        if (plan.rows_kind() == channel_rows_t::planes)
            add(sums + range.begin * arrays.unit_sums, arrays.unit_sums);
        else
            for (dim_t row = 0; row < plan.packed_rows(); ++row)
                for (dim_t i = 0; i < each; ++i)
                    add(sums + row * plan.line() + range.begin * each + i, each);
    }
    return totals;
}

namespace {

/// The same for one unit and array; `first`: its values.
void copy_to_elements_of_unit(
        const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t unit, float *first) {
    const dim_t channels = plan.channels_of(unit), each = plan.elements_per_channel();
    const float *const of_channels = first + arrays.channel_values;
    if (each > 1)
        for (dim_t c = 0; c < channels; ++c) std::fill_n(first + c * each, each, of_channels[c]);
    std::fill(first + channels * each, first + plan.line(), 0.f);
    for (dim_t row = 1; row < plan.packed_rows(); ++row)
        std::copy_n(first, plan.line(), first + row * plan.line());
    std::fill(first + plan.packed_line(), first + arrays.sum_pitch, 0.f);
}

} // namespace

void copy_to_elements(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t first,
        dim_t end, int count, float *values) {
    if (plan.rows_kind() == channel_rows_t::planes) return;
    for (dim_t unit = first; unit < end; ++unit)
        for (int i = 0; i < count; ++i)
            copy_to_elements_of_unit(
                    plan, arrays, unit, values + i * arrays.value_pitch + unit * arrays.unit_pitch);
}

void set_value(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t unit,
        dim_t channel, float value, float *values) {
    const dim_t each = plan.elements_per_channel();
    float *const first = values + unit * arrays.unit_pitch;
    first[arrays.channel_values + channel] = value;
    for (dim_t row = 0; row < plan.packed_rows(); ++row)
        std::fill_n(first + row * plan.line() + channel * each, each, value);
}

float pivot_near(double mean, double variance, double square) {
    if (!std::isfinite(mean)) return 0;
    // About a pivot farther away than this, the variance is too inexact to choose a power of two.
    constexpr double most_distance = 1 << 20;
    if (!(variance > 0) || !(square <= most_distance * variance)) return static_cast<float>(mean);
    const double step = std::ldexp(1., std::ilogb(variance) / 2 - 1);
    return static_cast<float>(std::nearbyint(mean / step) * step);
}

// Simple loops: the compiler turns each into packed square roots or divisions.
KILN_AVX2 void make_deviations(
        const float *variance, float epsilon, dim_t count, float *deviations) {
    for (dim_t i = 0; i < count; ++i) deviations[i] = std::sqrt(variance[i] + epsilon);
}

KILN_AVX2 void make_factors(
        const float *scale, const float *deviations, dim_t count, float *factors) {
    if (scale)
        for (dim_t i = 0; i < count; ++i) factors[i] = scale[i] / deviations[i];
    else
        for (dim_t i = 0; i < count; ++i) factors[i] = 1.f / deviations[i];
}

} // namespace kiln::x64
