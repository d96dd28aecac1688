// SPDX-License-Identifier: Apache-2.0
// What executions on columns have in common: how columns are shared out. The plan of rows serves
// columns too: a run of rows at a pitch of one element is a line of adjacent columns.
#pragma once

#include <algorithm>

#include "common/operations/layer_normalization_pd.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

/// Columns cut into units of one width, anew in each line, so that only the last unit of a line is
/// narrower.
class column_units_t {
public:
    column_units_t(const row_plan_t &plan, dim_t width)
        : line_(plan.run_length())
        , width_(width)
        , lines_(plan.rows() / line_)
        , units_per_line_((line_ + width - 1) / width) {}

    dim_t count() const { return lines_ * units_per_line_; }
    /// The first column of a unit; the number of columns for the unit past the last one.
    dim_t begin_of(dim_t unit) const {
        return unit / units_per_line_ * line_ + unit % units_per_line_ * width_;
    }
    /// Columns of a full unit.
    dim_t width() const { return std::min(width_, line_); }

private:
    dim_t line_, width_, lines_, units_per_line_;
};

/// Refuses operands whose columns are not adjacent; the last of the plan's operands, behind
/// `tensors` others, are the statistics.
inline refusal_t check_adjacent(const row_plan_t &plan, size_t tensors) {
    const row_offsets_t &pitches = plan.pitches();
    const auto statistics = pitches.begin() + static_cast<ptrdiff_t>(tensors);
    if (plan.run_length() == 1
            || std::any_of(pitches.begin(), statistics, [](dim_t pitch) { return pitch != 1; }))
        return refused("no axis but the normalized one is innermost in every tensor");
    if (*statistics != 1) return refused("statistics are spaced along the innermost axis");
    return accepted();
}

/// Elements from one step along the normalized axis to the next.
inline dim_t step_of(const memory_desc_t &md) {
    return md.format_desc.blocking.strides[md.ndims - 1];
}

} // namespace kiln::x64
