// SPDX-License-Identifier: Apache-2.0
// Plans the walk over tensors whose elements belong to channels: layouts become units, rows and
// chunks.
#pragma once

#include <optional>
#include <span>

#include "common/primitive/implementation.hpp"
#include "cpu/x64/channels/channel_rows.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64 {

/// Rows [first_row, end_row) of a unit, of each the elements [first_column, end_column).
struct channel_chunk_t {
    dim_t unit;
    dim_t units; // consecutive whole units, more than one only from whole_units()
    dim_t first_row, end_row;
    dim_t first_column, end_column;
    dim_t partial; // the index, among its unit's, of the partial sums that the chunk adds to
};

/// Each axis of src is kept or reduced. A channel is the set of elements with the same indices on
/// all kept axes: a channel of the tensor where that is the only kept axis, a channel of one sample
/// where the axis of samples is kept, too.
///
/// A row is a sequence of elements that are adjacent in every operand. In planes it lies along
/// reduced axes and belongs to one channel; in columns it lies along a kept axis and each element
/// belongs to another channel. A unit is all rows that belong to the channels of one row.
///
/// Three rules keep kernels efficient:
/// - Short rows that follow each other without a gap are packed into one longer row, in which the
///   channels repeat, so that vectors are full.
/// - Where rows are long and a unit has few of them, a unit takes a range of the channels only,
///   small enough for the unit to fit into the second-level cache.
/// - Small planes that follow each other without a gap, as those of a sample's channels in nchw do,
///   can be walked as a row of columns, in which elements_per_channel() neighbours belong to one
///   channel. This pays if each channel has several planes.
class channel_plan_t {
public:
    /// The operands' layouts, those of absent operands being the zero descriptor.
    struct layouts_t {
        std::span<const memory_desc_t *const> mds;
        const operands_t &operands;
    };

    /// The axis of src with the smallest stride: the first one of those that make a row.
    static int row_axis(const memory_desc_t &src);
    /// What is innermost in src: the elements of a channel or the channels. `kept`: a bit for each
    /// kept axis.
    static channel_rows_t innermost_of(unsigned kept, const memory_desc_t &src);

    /// Makes a plan with rows of this kind or gives the reason why there is none. The first operand
    /// is src; its order in memory decides the order of loops. Offsets and pitches count elements,
    /// those of a bit mask bits. `channels_together`: if a unit has several channels, their number
    /// is a multiple of this.
    static refusal_t make(channel_rows_t kind, unsigned kept, dim_t channels_together,
            const layouts_t &layouts, isa_t isa, std::optional<channel_plan_t> &plan);

    channel_rows_t rows_kind() const { return kind_; }
    /// Elements of a row.
    dim_t line() const { return line_; }
    /// Columns: how many neighbours in a row belong to one channel, the elements of a small plane;
    /// else 1.
    dim_t elements_per_channel() const { return elements_per_channel_; }
    /// Channels of a row.
    dim_t channels_per_row() const {
        return kind_ == channel_rows_t::planes ? 1 : line_ / elements_per_channel_;
    }
    /// How many rows are packed into one; 1 if rows are not packed.
    dim_t packed_rows() const { return packed_rows_; }
    /// Whether a run of rows is more than whole packed ones.
    bool leaves_rows() const { return rows_.run_length() % packed_rows_ != 0; }
    /// Elements of a packed row.
    dim_t packed_line() const { return line_ * packed_rows_; }
    dim_t units() const { return units_.rows(); }
    /// Rows of a unit before packing.
    dim_t rows() const { return rows_.rows(); }
    /// Elements (bits) from a row to the next in an operand.
    dim_t pitch(size_t operand) const { return rows_.pitches()[operand]; }

    /// Whether all packed rows begin at multiples of `elements` elements of an operand.
    bool keeps_alignment(size_t operand, dim_t elements) const {
        // If a run is not a whole number of packed rows, those of the next one begin at any row.
        const bool is_packed_evenly = rows_.is_one_run() || !leaves_rows();
        return units_.keeps_alignment(operand + 1, elements)
               && rows_.keeps_alignment(operand, elements, is_packed_evenly ? packed_rows_ : 1);
    }

    /// The index of a unit's first channel. Channels are counted over the kept axes in logical
    /// order, the last axis fastest.
    dim_t first_channel(dim_t unit) const;
    /// Channels of a unit: fewer than those of its rows if it is a padded last block.
    dim_t channels_of(dim_t unit) const;

    /// Chunks depend on the problem alone, so sums are bit-identical for any number of threads.
    /// Some hundred floats are added to each sum of a chunk; sums of chunks are added up as
    /// doubles.
    dim_t chunks_per_unit() const { return row_chunks_ * column_chunks_; }
    /// Partial sums per unit. Chunks of the same rows and different columns share one.
    dim_t partials_per_unit() const;
    channel_chunk_t chunk(dim_t unit, dim_t index) const;
    /// Whether one kernel call processes several units: planes that are small and evenly spaced.
    bool joins_units() const { return joins_units_; }
    /// Consecutive units as one chunk; only if joins_units().
    channel_chunk_t whole_units(dim_t first, dim_t count) const {
        return {first, count, 0, rows(), 0, line_, 0};
    }
    /// Elements (bits) from a unit to the next in an operand; if not joins_units(), from most
    /// units.
    dim_t unit_pitch(size_t operand) const { return units_.pitches()[operand + 1]; }

    /// Calls `body(offset_of, rows)` for each run of a chunk, where offset_of(i) is the offset of
    /// its first element in operand i. Rows are pitch() apart, units unit_pitch().
    template <typename body_t>
    void for_each_run(const channel_chunk_t &chunk, const body_t &body) const {
        const row_offsets_t unit = units_.offsets_of(chunk.unit);
        rows_.for_each_run(chunk.first_row, chunk.end_row, [&](const row_run_t &run) {
            const auto offset_of = [&](size_t i) {
                return run.offsets[i] + unit[i + 1] + chunk.first_column * row_strides_[i];
            };
            body(offset_of, run.count);
        });
    }

    /// The offset in src of a unit's first element.
    dim_t unit_offset(dim_t unit) const { return units_.offset_of(unit, 1); }
    /// Fills `offsets` with those of samples of a unit's first channel from the unit's first
    /// element, at regular distances over the unit's rows.
    void sample_offsets(std::span<dim_t> offsets) const;

private:
    /// The row and the loops around it.
    struct loops_t;

    channel_plan_t(const loops_t &loops, isa_t isa);
    row_plan_t units_of(const loops_t &loops);
    void choose_packed_rows(int lanes);
    void choose_chunks();

    const size_t operands_;
    channel_rows_t kind_;
    dim_t line_, elements_per_channel_, packed_rows_ = 1;
    dim_t channels_;
    row_offsets_t row_strides_; // of the elements of a row: 1, or 0 if an operand is broadcast
    row_plan_t units_;          // over kept axes in logical order; operand 0 is the channel's index
    row_plan_t rows_;
    dim_t rows_per_chunk_ = 1, row_chunks_ = 1;
    dim_t columns_per_chunk_ = 1, column_chunks_ = 1;
    bool joins_units_ = false;
};

} // namespace kiln::x64
