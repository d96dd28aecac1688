// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the values and sums of channels between two sweeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/x64/channels/channel_pass.hpp"

namespace kiln::x64 {

/// Total sums of consecutive channels, in double.
struct channel_totals_t {
    static constexpr dim_t capacity = 64;
    double first[capacity];
    double second[capacity];
};

/// Channels [begin, begin + count) of a unit. In planes, where a unit has one channel, index i
/// means the channel of unit `unit` + i.
struct channel_range_t {
    dim_t unit, begin, count;
};

/// The channels of a unit are cut into ranges that fit into channel_totals_t: the number of them,
/// the same for all units, and range `index`, which may be empty.
dim_t channel_ranges(const channel_plan_t &plan);
channel_range_t channel_range(const channel_plan_t &plan, dim_t unit, dim_t index);

/// Calls `body(range)` for all channels of ranges [first, end), counted over all units, which are
/// channel_ranges() each. In planes ranges are joined, those of as many units as fit into
/// channel_totals_t and belong to one sample; `channels`: of a sample.
template <typename body_t>
void for_each_range(
        const channel_plan_t &plan, dim_t channels, dim_t first, dim_t end, const body_t &body) {
    const dim_t ranges = channel_ranges(plan);
    const bool is_planes = plan.rows_kind() == channel_rows_t::planes;
    for (dim_t i = first, count = 1; i < end; i += count) {
        if (is_planes)
            count = std::min({end - i, channels - i % channels, channel_totals_t::capacity});
        body(is_planes ? channel_range_t{i, 0, count}
                       : channel_range(plan, i / ranges, i % ranges));
    }
}

/// The sums that a chunk adds to, set to zero; `sums`: all sums.
float *cleared_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const channel_chunk_t &chunk, float *sums);

/// Adds up the partial sums of a range of at most channel_totals_t::capacity channels. `sums`: all
/// sums. The order of additions depends on the plan alone.
channel_totals_t total_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const float *sums, const channel_range_t &range);

/// Columns: copies values of the channels of units [first, end) to all elements of packed rows, and
/// sets padding to zero. `values`: the first of `count` arrays of values.
void copy_to_elements(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t first,
        dim_t end, int count, float *values);
/// Sets the value of a channel and of its elements.
void set_value(const channel_plan_t &plan, const channel_arrays_t &arrays, dim_t unit,
        dim_t channel, float value, float *values);

/// Whether sums about a pivot have lost digits that sums about another one would keep: it is more
/// than two standard deviations away from the mean, or not finite. (Totals in double over many
/// chunks make up for less.) If sums about a finite pivot are not finite, no other one is better.
/// `square`: of its distance from the mean.
inline bool is_pivot_far(double pivot, double square, double variance) {
    constexpr double most_variances = 4;
    constexpr double greatest = std::numeric_limits<double>::max();
    const bool is_distant = !(square <= most_variances * variance), has_sums = square <= greatest;
    const bool lacks_pivot = !(std::abs(pivot) <= greatest);
    return lacks_pivot | (is_distant & has_sums); // without branches, for vector instructions
}

/// A new pivot, to be used after sums were made about another one: the mean, rounded to a multiple
/// of a power of two below the standard deviation, so that sums of integers stay exact.
float pivot_near(double mean, double variance, double square);

/// deviations[i] = sqrt(variance[i] + epsilon), factors[i] = scale[i] / deviations[i], by square
/// root and division of full precision. A null scale means 1.
void make_deviations(const float *variance, float epsilon, dim_t count, float *deviations);
void make_factors(const float *scale, const float *deviations, dim_t count, float *factors);

} // namespace kiln::x64
