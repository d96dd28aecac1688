// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the values and sums of channels between two sweeps.

#include "cpu/x64/channels/channel_sums.hpp"

#include <algorithm>
#include <cmath>

#include <xmmintrin.h> // every x86-64 processor has it

namespace kiln::x64::normalization {

dim_t channel_stretches(const channel_plan_t &plan) {
    constexpr dim_t most = channel_totals_t::capacity;
    return plan.rows_kind() == channel_rows_t::planes ? 1 : (plan.line() + most - 1) / most;
}

channel_stretch_t channel_stretch(const channel_plan_t &plan, dim_t unit, dim_t index) {
    const dim_t begin = index * channel_totals_t::capacity;
    const dim_t left = std::max(dim_t(0), plan.channels_of(unit) - begin);
    return {begin, std::min(channel_totals_t::capacity, left)};
}

channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, dim_t begin, dim_t count) {
    channel_totals_t totals;
    std::fill_n(totals.first, count, 0.);
    std::fill_n(totals.second, count, 0.);
    const auto add = [&](const float *first, dim_t pitch) {
        const float *const second = first + arrays.sum_pitch;
        for (dim_t c = 0; c < count; ++c) {
            totals.first[c] += static_cast<double>(first[c * pitch]);
            totals.second[c] += static_cast<double>(second[c * pitch]);
        }
    };
    for (dim_t slot = 0; slot < plan.slots_per_unit(); ++slot, sums += arrays.slot_pitch) {
        if (plan.rows_kind() == channel_rows_t::planes)
            add(sums + begin * arrays.unit_sums, arrays.unit_sums);
        else
            for (dim_t fold = 0; fold < plan.folds(); ++fold)
                add(sums + fold * plan.line() + begin, 1);
    }
    return totals;
}

void spread_over_folds(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t unit,
        int count, float *values) {
    if (plan.rows_kind() == channel_rows_t::planes) return;
    const dim_t channels = plan.channels_of(unit);
    for (int i = 0; i < count; ++i) {
        float *const first = values + i * arrays.value_pitch + unit * arrays.unit_pitch;
        std::fill(first + channels, first + plan.line(), 0.f);
        for (dim_t fold = 1; fold < plan.folds(); ++fold)
            std::copy_n(first, plan.line(), first + fold * plan.line());
        std::fill(first + plan.folded_line(), first + arrays.unit_pitch, 0.f);
    }
}

float center_near(double mean, double variance, double offset) {
    if (!std::isfinite(mean)) return 0;
    // Of a K that is farther off, the variance is not known well enough.
    constexpr double most_distance = 1 << 20;
    if (!(variance > 0) || !(offset * offset <= most_distance * variance))
        return static_cast<float>(mean);
    const double step = std::ldexp(1., std::ilogb(variance) / 2 - 1);
    return static_cast<float>(std::nearbyint(mean / step) * step);
}

void make_factors(
        const float *scale, const float *variance, float epsilon, dim_t count, float *factors) {
    constexpr dim_t lanes = 4;
    dim_t i = 0;
    const __m128 added = _mm_set1_ps(epsilon);
    for (; i + lanes <= count; i += lanes) {
        const __m128 deviation = _mm_sqrt_ps(_mm_add_ps(_mm_loadu_ps(variance + i), added));
        const __m128 dividend = scale ? _mm_loadu_ps(scale + i) : _mm_set1_ps(1.f);
        _mm_storeu_ps(factors + i, _mm_div_ps(dividend, deviation));
    }
    for (; i < count; ++i) factors[i] = (scale ? scale[i] : 1.f) / std::sqrt(variance[i] + epsilon);
}

} // namespace kiln::x64::normalization
