// SPDX-License-Identifier: Apache-2.0
// The rows shape of work: the normalized axis lies innermost in every operand, and all other axes
// are rows. Pure arithmetic on layouts: it knows neither data nor kernels.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::x64 {

/// More operands than any pass addresses row by row.
constexpr size_t max_row_operands = 16;

/// Element offset of a row in each operand.
using row_offsets_t = std::array<dim_t, max_row_operands>;

/// A loop over rows: its extent and the distance between neighbours in each operand, in elements; 0
/// where an operand is the same for all of them.
struct row_mode_t {
    dim_t extent;
    row_offsets_t strides;
};

/// Whether `outer` continues `inner` in every operand, so that one loop can walk both.
bool continues(const row_mode_t &outer, const row_mode_t &inner, size_t operands);

/// Rows [begin, begin + count) of one kernel call: they lie at a fixed pitch in every operand.
struct row_run_t {
    dim_t count;
    row_offsets_t offsets; // of the first row; offset0 included
};

class row_plan_t {
public:
    /// Plans over the first `ndims` axes of the operands, which all have src's extents there or
    /// none (broadcast). The first operand's order in memory decides the order of the loops.
    /// Operands are plain.
    row_plan_t(int ndims, std::span<const memory_desc_t *const> operands);
    /// Plans over loops in any order; `origin` is where each operand begins.
    row_plan_t(size_t operands, std::vector<row_mode_t> modes, const row_offsets_t &origin);

    dim_t rows() const { return rows_; }
    /// The distance between the rows of a run.
    const row_offsets_t &pitches() const { return inner_.strides; }
    /// The longest run that there is.
    dim_t run_length() const { return inner_.extent; }

    /// Whether runs begin at multiples of so many elements of an operand, if rows [0, step),
    /// [step, 2 * step), ... of each do.
    bool keeps_alignment(size_t operand, dim_t elements, dim_t step = 1) const;

    /// Where a row begins in each operand.
    row_offsets_t offsets_of(dim_t row) const;

    /// Calls `body(run)` for the runs of rows [begin, end), in order.
    template <typename body_t> void for_each_run(dim_t begin, dim_t end, const body_t &body) const {
        while (begin < end) {
            const dim_t count = std::min(end - begin, inner_.extent - begin % inner_.extent);
            body(row_run_t{count, offsets_of(begin)});
            begin += count;
        }
    }

private:
    void arrange(std::vector<row_mode_t> modes);

    size_t operands_;
    dim_t rows_ = 1;
    row_mode_t inner_{};
    std::vector<row_mode_t> outer_; // innermost first
    row_offsets_t origin_{};
};

/// Whether the elements along the last axis lie next to each other and no axis is blocked.
bool has_dense_rows(const memory_desc_t &md);

} // namespace kiln::x64
