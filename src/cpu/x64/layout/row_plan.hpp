// SPDX-License-Identifier: Apache-2.0
// Operands of a kernel as rows: one axis or a few are walked inside a row, all others are loops
// over rows.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::x64 {

/// Operands of a kernel at most.
constexpr size_t max_row_operands = 24;

/// Element offset of a row in each operand.
using row_offsets_t = std::array<dim_t, max_row_operands>;

/// A loop: its extent, and the distance in elements between neighbours in each operand. The
/// distance is 0 in an operand that is the same for all of them.
struct row_mode_t {
    dim_t extent;
    row_offsets_t strides;
};

/// For algorithms that compare loops: their stride in an operand.
inline auto stride_in(size_t operand) {
    return [operand](const row_mode_t &loop) { return loop.strides[operand]; };
}

/// Iterations of all loops.
dim_t product_of_extents(const std::vector<row_mode_t> &loops);

/// Whether `outer` continues `inner` in every operand, so that one loop can replace both.
bool continues(const row_mode_t &outer, const row_mode_t &inner, size_t operands);

/// The axis of the first tensor as a loop. Tensors are the same along axes they do not have.
row_mode_t loop_along(std::span<const memory_desc_t *const> tensors, int axis);

/// Rows at a constant pitch in every operand.
struct row_run_t {
    dim_t count;
    row_offsets_t offsets; // of the first row; offset0 included
};

class row_plan_t {
public:
    /// Plans over the first `ndims` axes of the operands, which are plain. An operand has the
    /// extents of the first one or, where it is broadcast, 1. The zero descriptor is broadcast
    /// along all axes. The first operand's order in memory decides the order of the loops.
    row_plan_t(int ndims, std::span<const memory_desc_t *const> operands);
    /// Plans over loops in any order; `origin` is the offset of each operand's first row. The
    /// memory order of operand `leader` decides the order of the loops.
    row_plan_t(size_t operands, std::vector<row_mode_t> modes, const row_offsets_t &origin,
            size_t leader = 0);

    /// Makes runs of at least `least` rows, if a loop around shorter ones has as many iterations:
    /// that loop becomes the innermost one, or a part of it that spans at most `near` elements of
    /// the first operand, which the loops inside visit again.
    void lengthen_runs(dim_t least, dim_t near);

    dim_t rows() const { return rows_; }
    /// The distance between the rows of a run in each operand, in elements.
    const row_offsets_t &pitches() const { return inner_.strides; }
    /// Rows of the longest run.
    dim_t run_length() const { return inner_.extent; }
    bool is_one_run() const { return rows_ == inner_.extent; }
    /// "4096 rows in 8 runs of 512".
    std::string text() const;

    /// Whether rows 0, step, 2 * step ... of every run begin at multiples of `elements` elements of
    /// an operand.
    bool keeps_alignment(size_t operand, dim_t elements, dim_t step = 1) const;

    /// The offset of a row in each operand, offset0 included.
    row_offsets_t offsets_of(dim_t row) const;
    /// The same in one operand.
    dim_t offset_of(dim_t row, size_t operand) const;

    /// Calls `body(run)` for the runs of rows [begin, end), in order.
    template <typename body_t> void for_each_run(dim_t begin, dim_t end, const body_t &body) const {
        if (begin >= end) return;
        row_run_t run{0, offsets_of(begin)};
        dim_t in_run = begin == 0 ? 0 : begin % inner_.extent; // its first row
        dim_t left = runs_left(begin);
        for (;;) {
            run.count = std::min(end - begin, inner_.extent - in_run);
            body(static_cast<const row_run_t &>(run));
            begin += run.count;
            if (begin >= end) return;
            if (--left == 0) {
                run.offsets = offsets_of(begin);
                left = outer_.front().extent;
            } else {
                for (size_t i = 0; i < operands_; ++i)
                    run.offsets[i] += outer_.front().strides[i] - in_run * inner_.strides[i];
            }
            in_run = 0;
        }
    }

    /// Calls `body(offsets)` for rows [begin, end), in order.
    template <typename body_t> void for_each_row(dim_t begin, dim_t end, const body_t &body) const {
        for_each_run(begin, end, [&](const row_run_t &run) {
            row_offsets_t offsets = run.offsets;
            for (dim_t row = 0; row < run.count; ++row) {
                body(static_cast<const row_offsets_t &>(offsets));
                for (size_t i = 0; i < operands_; ++i) offsets[i] += inner_.strides[i];
            }
        });
    }

private:
    void arrange(std::vector<row_mode_t> modes, size_t leader = 0);
    /// Runs from that of a row on whose offsets differ by the strides of the loop around them.
    dim_t runs_left(dim_t row) const {
        if (outer_.empty()) return 1;
        const dim_t extent = outer_.front().extent;
        return row == 0 ? extent : extent - row / inner_.extent % extent;
    }
    /// Calls `visit(loop, position)` for the position of a row in each loop.
    template <typename visit_t> void for_each_position(dim_t row, const visit_t &visit) const {
        if (row == 0) return; // small problems have few other rows
        visit(inner_, row % inner_.extent);
        row /= inner_.extent;
        for (const row_mode_t &mode : outer_) {
            visit(mode, row % mode.extent);
            row /= mode.extent;
        }
    }

    size_t operands_;
    dim_t rows_ = 1;
    row_mode_t inner_{};
    std::vector<row_mode_t> outer_; // innermost first
    row_offsets_t origin_{};
};

/// offset0 of each tensor.
row_offsets_t origin_of(std::span<const memory_desc_t *const> tensors);

/// The axis with the smallest stride among the first `axes`, those of extent 1 aside.
int nearest_axis(const memory_desc_t &md, int axes);

/// Whether the elements along the last axis are adjacent and no axis is blocked.
bool has_dense_rows(const memory_desc_t &md);

} // namespace kiln::x64
