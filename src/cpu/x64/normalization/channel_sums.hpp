// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of a unit left. It must not know what was summed.
#pragma once

#include "cpu/x64/normalization/channel_pass.hpp"

namespace kiln::x64::normalization {

/// Totals of some channels of a unit, in double.
struct channel_totals_t {
    static constexpr dim_t capacity = 64;
    double first[capacity];
    double second[capacity];
};

/// Adds up the sums of channels [begin, begin + count) of a unit whose sums begin at `sums`: slot
/// after slot and fold after fold, so that the bits follow from the plan alone. count is at most
/// the totals' capacity.
channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, dim_t begin, dim_t count);

/// Copies values of a unit's first fold to its other folds.
void spread_over_folds(const channel_plan_t &plan, const channel_arrays_t &arrays, float *values);

/// Sets one channel's value among those of a unit, in every fold.
inline void set_in_folds(const channel_plan_t &plan, float *values, dim_t index, float value) {
    for (dim_t fold = 0; fold < plan.folds(); ++fold) values[fold * plan.line() + index] = value;
}

/// Makes `count` arrays of a unit's values zero, so that what pads a block stays zero.
void clear_values(
        const channel_plan_t &plan, const channel_arrays_t &arrays, int count, float *values);

} // namespace kiln::x64::normalization
