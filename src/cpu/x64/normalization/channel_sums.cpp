// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of a unit left.

#include "cpu/x64/normalization/channel_sums.hpp"

#include <algorithm>

namespace kiln::x64::normalization {

channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, dim_t begin, dim_t count) {
    channel_totals_t totals{};
    const bool is_planes = plan.rows_kind() == channel_rows_t::planes;
    const dim_t folds = is_planes ? 1 : plan.folds();
    for (dim_t slot = 0; slot < plan.slots_per_unit(); ++slot)
        for (dim_t fold = 0; fold < folds; ++fold) {
            const float *first = sums + slot * arrays.slot_pitch + fold * plan.line() + begin;
            const float *second = first + arrays.unit_pitch;
            for (dim_t c = 0; c < count; ++c) {
                totals.first[c] += static_cast<double>(first[c]);
                totals.second[c] += static_cast<double>(second[c]);
            }
        }
    return totals;
}

void spread_over_folds(const channel_plan_t &plan, const channel_arrays_t &arrays, float *values) {
    if (plan.rows_kind() == channel_rows_t::planes) return;
    for (dim_t fold = 1; fold < plan.folds(); ++fold)
        std::copy_n(values, plan.line(), values + fold * plan.line());
    std::fill(values + plan.folded_line(), values + arrays.unit_pitch, 0.f);
}

void clear_values(
        const channel_plan_t &plan, const channel_arrays_t &arrays, int count, float *values) {
    if (plan.rows_kind() == channel_rows_t::planes) return;
    for (int i = 0; i < count; ++i)
        std::fill_n(values + i * arrays.value_pitch, arrays.unit_pitch, 0.f);
}

} // namespace kiln::x64::normalization
