// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the values and sums of channels between two sweeps. It must not know what was
// summed.
#pragma once

#include "cpu/x64/channels/channel_pass.hpp"

namespace kiln::x64::normalization {

/// Totals of some channels of a unit, in double.
struct channel_totals_t {
    static constexpr dim_t capacity = 64;
    double first[capacity];
    double second[capacity];
};

/// Channels of a unit go in stretches that are added up at once.
struct channel_stretch_t {
    dim_t begin, count;
};
/// The most stretches that a unit has.
dim_t channel_stretches(const channel_plan_t &plan);
channel_stretch_t channel_stretch(const channel_plan_t &plan, dim_t unit, dim_t index);

/// Calls `body(unit, channels)` for units [first, end). Planes come as one unit with the channels
/// of all of them, whose values lie side by side.
template <typename body_t>
void for_each_unit(const channel_plan_t &plan, dim_t first, dim_t end, const body_t &body) {
    if (plan.rows_kind() == channel_rows_t::planes) return body(first, end - first);
    for (dim_t unit = first; unit < end; ++unit) body(unit, plan.channels_of(unit));
}

/// Adds up the sums of channels [begin, begin + count) of a unit whose sums begin at `sums`: slot
/// after slot and fold after fold, so that the bits follow from the plan alone. count is at most
/// the totals' capacity. Of planes, the channels of the units that follow count as the unit's.
channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, dim_t begin, dim_t count);

/// Copies values of a unit's first fold to its other folds, and makes what pads them zero.
/// `values`: the first of `count` arrays.
void spread_over_folds(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t unit,
        int count, float *values);

/// A better K for sums that were made about one too far from the mean, by `offset`: a multiple of a
/// power of two below the deviation, so that sums of whole numbers stay exact.
float center_near(double mean, double variance, double offset);

/// factors[i] = scale[i] / sqrt(variance[i] + epsilon); a null scale is 1.
void make_factors(
        const float *scale, const float *variance, float epsilon, dim_t count, float *factors);

} // namespace kiln::x64::normalization
