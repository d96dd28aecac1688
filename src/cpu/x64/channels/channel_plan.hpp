// SPDX-License-Identifier: Apache-2.0
// How tensors whose elements belong to channels are walked: units of channels, rows of elements,
// chunks of rows. Pure arithmetic on layouts: it knows neither data nor kernels.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "common/primitive/implementation.hpp"
#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::normalization {

/// A part of a unit that one task visits: whole rows, or a part of each.
struct channel_chunk_t {
    dim_t unit;
    dim_t units; // more than one only as whole_units() has them
    dim_t first_row, end_row;
    dim_t first_column, end_column;
    dim_t slot; // whose sums it makes, among its unit's
};

/// A kept axis is one whose indices have statistics of their own; the others are reduced. Elements
/// of one index of all kept axes are a channel. Memory is seen as rows of elements that lie side by
/// side in every operand: along reduced axes (planes: a row belongs to one channel) or along a kept
/// one (columns). A unit is what one row's channels have; its rows are the reduced axes' other
/// loops. Where rows of columns follow each other without a gap, some make one longer row, in which
/// channels repeat (folds), so that vectors are full. A long row over few others is cut into slices
/// of channels, each a unit, which a cache holds.
class channel_plan_t {
public:
    /// Operands have src's extents, or some of them. Offsets of bit masks count bits; those of
    /// every other operand elements. The first operand is src: its order in memory decides the
    /// order of loops.
    struct operand_t {
        const memory_desc_t *md;
        bool is_mask = false;
        bool broadcasts = false; // may have extents 1 where src has others
    };

    /// The axis along which elements of a row lie first of all.
    static int row_axis(const memory_desc_t &src);

    /// Gives a plan or says why there is none. `kept`: a bit for each kept axis;
    /// `channels_together`: neighbours that are to be in one unit if it has several channels.
    static refusal_t make(unsigned kept, dim_t channels_together,
            std::span<const operand_t> operands, isa_t isa, std::optional<channel_plan_t> &plan);

    channel_rows_t rows_kind() const { return kind_; }
    /// Elements of a row, without folds and with.
    dim_t line() const { return line_; }
    dim_t folds() const { return folds_; }
    dim_t folded_line() const { return line_ * folds_; }
    dim_t units() const { return units_.rows(); }
    /// Rows of a unit, not folded.
    dim_t rows() const { return rows_.rows(); }
    /// From a row to the next in an operand, in its elements (bits).
    dim_t pitch(size_t operand) const { return rows_.pitches()[operand]; }

    /// Whether all rows, folded, begin at multiples of so many elements of an operand.
    bool keeps_alignment(size_t operand, dim_t elements) const {
        // Where runs are no whole folds, rows are folded from anywhere.
        const bool is_folded_evenly =
                rows_.run_length() == rows_.rows() || rows_.run_length() % folds_ == 0;
        return is_folded_evenly && units_.keeps_alignment(operand + 1, elements)
               && rows_.keeps_alignment(operand, elements, folds_);
    }

    /// The first channel of a unit: indices of kept axes in logical order, the last one fastest.
    dim_t first_channel(dim_t unit) const;
    /// Channels of a row: with a padded last block, fewer than its elements.
    dim_t channels_of(dim_t unit) const;

    /// Chunks of a unit follow from the problem alone, so that sums do not depend on threads. They
    /// are few and not longer than precision allows.
    dim_t chunks_per_unit() const { return row_chunks_ * column_chunks_; }
    /// Slots that a unit's sums take; chunks of different columns share one.
    dim_t slots_per_unit() const;
    channel_chunk_t chunk(dim_t unit, dim_t index) const;
    /// Whether units are so small that several had better go together, and can: planes.
    bool joins_units() const { return joins_units_; }
    /// Some units as one chunk, if they can be joined.
    channel_chunk_t whole_units(dim_t first, dim_t count) const {
        return {first, count, 0, rows(), 0, line_, 0};
    }
    /// From a unit to the next in an operand, in its elements (bits), where units can be joined.
    dim_t unit_pitch(size_t operand) const { return units_.pitches()[operand + 1]; }

    /// Calls `body(offsets, rows)` for the runs of a chunk's rows: they lie at pitch(), and its
    /// units at unit_pitch().
    template <typename body_t>
    void for_each_run(const channel_chunk_t &chunk, const body_t &body) const {
        const row_offsets_t unit = units_.offsets_of(chunk.unit);
        rows_.for_each_run(chunk.first_row, chunk.end_row, [&](const row_run_t &run) {
            row_offsets_t offsets = run.offsets;
            for (size_t i = 0; i < operands_; ++i)
                offsets[i] += unit[i + 1] + chunk.first_column * row_strides_[i];
            body(offsets, run.count);
        });
    }

    /// Element offsets in the first operand of elements from all over a unit's rows.
    std::array<dim_t, channel_samples> samples(dim_t unit) const;

private:
    /// The row, and the loops around it.
    struct loops_t;

    channel_plan_t(const loops_t &loops, std::span<const operand_t> operands, isa_t isa);
    row_plan_t units_of(const loops_t &loops);
    void choose_folds(std::span<const operand_t> operands, int lanes);
    void choose_chunks();

    const size_t operands_;
    channel_rows_t kind_;
    dim_t line_, folds_ = 1;
    dim_t channels_;
    row_offsets_t row_strides_; // of the elements of a row: 1, or 0 where they are the same
    row_plan_t units_;          // the channel, then the operands: units lie in logical order
    row_plan_t rows_;
    dim_t rows_per_chunk_ = 1, row_chunks_ = 1;
    dim_t columns_per_chunk_ = 1, column_chunks_ = 1;
    bool joins_units_ = false;
};

} // namespace kiln::x64::normalization
