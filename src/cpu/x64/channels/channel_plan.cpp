// SPDX-License-Identifier: Apache-2.0
// Plans the walk over tensors whose elements belong to channels.

#include "cpu/x64/channels/channel_plan.hpp"

#include <algorithm>
#include <numeric>

#include "common/integers.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"

namespace kiln::x64 {
namespace {

constexpr int channel_axis = 1;

bool is_kept(unsigned kept, int axis) { return (kept >> axis & 1) != 0; }

/// The block size of the channel axis: 1 for plain layouts, 0 if another axis is blocked.
dim_t channel_block(const memory_desc_t &md) {
    const blocking_t &blocking = md.format_desc.blocking;
    if (blocking.inner_nblks == 0) return 1;
    const bool is_known = blocking.inner_nblks == 1 && blocking.inner_idxs[0] == channel_axis;
    return is_known ? blocking.inner_blks[0] : 0;
}

/// How many adjacent elements of a block the tensor has: all, or those that a submemory cuts out of
/// one block. 0 if it is not whole blocks.
dim_t elements_of_block(const memory_desc_t &md, dim_t block) {
    const dim_t padded = md.padded_dims[channel_axis];
    if (padded < block) return padded;
    return padded % block == 0 ? block : 0;
}

/// Whether a tensor is padded as src, and along no other axis than that of blocks.
bool is_padded_alike(const memory_desc_t &md, const memory_desc_t &src, dim_t block) {
    for (int d = 0; d < md.ndims; ++d) {
        const bool is_blocked = d == channel_axis && block != 1;
        const dim_t extent = is_blocked ? src.padded_dims[d] : src.dims[d];
        if (md.padded_dims[d] != extent || md.padded_offsets[d] != 0) return false;
    }
    return true;
}

using loop_iterator_t = std::vector<row_mode_t>::iterator;

/// The loop with the smallest stride in the first operand.
loop_iterator_t innermost_loop(std::vector<row_mode_t> &loops) {
    return std::ranges::min_element(loops, {}, stride_in(0));
}

} // namespace

struct channel_plan_t::loops_t {
    loops_t(channel_rows_t kind, unsigned kept, const layouts_t &layouts, dim_t block);
    /// Makes the loops with the smallest strides in src the row.
    refusal_t take_row();
    /// Joins the channels whose planes follow each other to the row, which is a plane.
    refusal_t join_planes();
    /// Splits a long row of columns into ranges of channels whose units fit into a cache, if that
    /// gives enough units.
    void split_row(dim_t channels_together);

    const layouts_t layouts;
    const size_t operands;
    const channel_rows_t kind, innermost;
    row_mode_t row{1, {}};
    dim_t channels = 1, elements_per_channel = 1;
    // Behind the strides of the operands, that of the channel's index.
    std::vector<row_mode_t> kept_loops, reduced_loops;
    const row_offsets_t origin;
};

channel_plan_t::loops_t::loops_t(
        channel_rows_t rows, unsigned kept, const layouts_t &all, dim_t block)
    : layouts(all)
    , operands(all.mds.size())
    , kind(rows)
    , innermost(innermost_of(kept, *all.mds.front()))
    , origin(origin_of(all.mds)) {
    const memory_desc_t &src = *all.mds.front();
    const size_t channel = operands;
    for (int d = src.ndims - 1; d >= 0; --d) {
        const bool is_blocked = d == channel_axis && block != 1;
        row_mode_t inner{is_blocked ? elements_of_block(src, block) : 1, {}};
        row_mode_t loop{is_blocked ? src.padded_dims[d] / inner.extent : src.dims[d], {}};
        for (size_t i = 0; i < operands; ++i) {
            const memory_desc_t &md = *all.mds[i];
            if (!all.operands[i].broadcasts || md.dims[d] != 1)
                loop.strides[i] = md.format_desc.blocking.strides[d];
            inner.strides[i] = is_zero(md) ? 0 : 1;
        }
        if (is_kept(kept, d)) {
            loop.strides[channel] = channels * (is_blocked ? block : 1);
            inner.strides[channel] = channels;
            channels *= src.dims[d];
        }
        auto &loops = is_kept(kept, d) ? kept_loops : reduced_loops;
        if (loop.extent != 1) loops.push_back(loop);
        if (is_blocked) loops.push_back(inner);
    }
}

refusal_t channel_plan_t::loops_t::take_row() {
    if (kept_loops.empty() && reduced_loops.empty()) return accepted();
    const bool begins_with_channels = innermost == channel_rows_t::columns;
    if (begins_with_channels) {
        const auto place = innermost_loop(kept_loops);
        row = *place;
        kept_loops.erase(place);
    } else {
        row = take_nearest(reduced_loops, operands);
    }
    for (size_t i = 0; i < operands; ++i) {
        const bool may_broadcast = layouts.operands[i].broadcasts || is_zero(*layouts.mds[i]);
        if (row.strides[i] != 1 && !(may_broadcast && row.strides[i] == 0))
            return refused("no axis has stride 1 in every tensor");
    }
    if (begins_with_channels && row.strides[operands] != 1)
        return refused("the axis with stride 1 is kept, but is not the channel axis");
    return kind == innermost ? accepted() : join_planes();
}

refusal_t channel_plan_t::loops_t::join_planes() {
    // Each channel's values are copied for each element of a row, which its rows have to be worth.
    constexpr dim_t most_elements = 64;
    const auto next = innermost_loop(kept_loops);
    if (row.extent > most_elements)
        return refused("channels are not the innermost axis, planes are not small");
    if (2 * product_of_extents(reduced_loops) <= row.extent)
        return refused("channels are not the innermost axis, each has few small planes");
    if (next == kept_loops.end() || next->strides[operands] != 1
            || !continues(*next, row, operands))
        return refused("small planes of the channels do not follow each other in every tensor");
    elements_per_channel = row.extent;
    row.extent *= next->extent;
    row.strides[operands] = 1;
    kept_loops.erase(next);
    return accepted();
}

int channel_plan_t::row_axis(const memory_desc_t &src) {
    return is_plain(src) ? nearest_axis(src, src.ndims) : channel_axis;
}

channel_rows_t channel_plan_t::innermost_of(unsigned kept, const memory_desc_t &src) {
    const int axis = row_axis(src);
    const bool has_channels = !is_plain(src) || src.dims[axis] != 1;
    return has_channels && is_kept(kept, axis) ? channel_rows_t::columns : channel_rows_t::planes;
}

void channel_plan_t::loops_t::split_row(dim_t channels_together) {
    // The second sweep over a unit of most_elements finds it in the second-level cache.
    constexpr dim_t most_elements = 98304, least_channels = 256, least_units = 8;
    // Whole tiles, or whole vectors where the elements of channels need not end with a tile.
    const dim_t whole = elements_per_channel == 1 ? 64 : 16;
    if (kind == channel_rows_t::planes) return;
    const dim_t rows = product_of_extents(reduced_loops);
    const dim_t step = std::lcm(channels_together * elements_per_channel, whole);
    if (rows * row.extent <= most_elements) return;
    dim_t range = most_elements / rows / step * step;
    while (range >= least_channels && row.extent % range != 0) range -= step;
    const dim_t ranges = range < least_channels ? 0 : row.extent / range;
    if (product_of_extents(kept_loops) * ranges < least_units) return;
    row_mode_t outer = row;
    outer.extent = ranges;
    for (dim_t &stride : outer.strides) stride *= range;
    outer.strides[operands] /= elements_per_channel;
    kept_loops.push_back(outer);
    row.extent = range;
}

refusal_t channel_plan_t::make(channel_rows_t kind, unsigned kept, dim_t channels_together,
        const layouts_t &layouts, isa_t isa, std::optional<channel_plan_t> &plan) {
    const dim_t block = channel_block(*layouts.mds.front());
    if (block == 0) return refused("an axis other than the channel axis is blocked");
    if (elements_of_block(*layouts.mds.front(), block) == 0)
        return refused("the channels with their padding are not whole blocks");
    for (size_t i = 0; i < layouts.mds.size(); ++i) {
        const memory_desc_t &md = *layouts.mds[i];
        if (is_zero(md)) continue;
        if (channel_block(md) != block) return refused("tensors have different channel blocks");
        if (layouts.operands[i].broadcasts) continue;
        if (broadcast_axis(md) >= 0) return refused("a tensor has stride 0");
        if (!is_padded_alike(md, *layouts.mds.front(), block))
            return refused("tensors are padded differently, or along an axis without blocks");
    }
    loops_t loops(kind, kept, layouts, block);
    if (kind == channel_rows_t::planes && loops.innermost != kind)
        return refused("channels are the innermost axis");
    if (const refusal_t refusal = loops.take_row()) return refusal;
    loops.split_row(channels_together);
    for (size_t i = 0; i < layouts.mds.size(); ++i)
        for (const auto *group : {&loops.kept_loops, &loops.reduced_loops})
            for (const row_mode_t &loop : *group)
                if (layouts.operands[i].is_mask && loop.strides[i] % bits_per_byte != 0)
                    return refused("rows of the ReLU mask do not begin at whole bytes");
    plan.emplace(channel_plan_t(loops, isa));
    return accepted();
}

channel_plan_t::channel_plan_t(const loops_t &loops, isa_t isa)
    : operands_(loops.operands)
    , kind_(loops.kind)
    , line_(loops.row.extent)
    , elements_per_channel_(loops.elements_per_channel)
    , channels_(loops.channels)
    , row_strides_(loops.row.strides)
    , units_(units_of(loops))
    , rows_(operands_, loops.reduced_loops, {}) {
    choose_packed_rows(jit::lanes_of(isa));
    choose_chunks();
}

row_plan_t channel_plan_t::units_of(const loops_t &loops) {
    // The first operand decides the order of the loops: the channel's index.
    const auto channel_first = [&](row_offsets_t offsets) {
        std::rotate(offsets.begin(), offsets.begin() + static_cast<ptrdiff_t>(operands_),
                offsets.begin() + static_cast<ptrdiff_t>(operands_) + 1);
        return offsets;
    };
    std::vector<row_mode_t> units = loops.kept_loops;
    for (row_mode_t &unit : units) unit.strides = channel_first(unit.strides);
    return row_plan_t(operands_ + 1, std::move(units), channel_first(loops.origin));
}

void channel_plan_t::choose_packed_rows(int lanes) {
    constexpr dim_t least_vectors = 4; // of a row, to amortize the loop over rows
    constexpr dim_t many_vectors = 16; // of a row, to amortize a partial vector
    const bool is_good = line_ % lanes == 0 && line_ >= least_vectors * lanes;
    if (kind_ == channel_rows_t::planes || is_good || line_ >= many_vectors * lanes) return;
    for (size_t i = 0; i < operands_; ++i)
        if (pitch(i) != line_ * row_strides_[i]) return;
    dim_t packed = lanes / std::gcd(line_, dim_t(lanes));
    while (packed * line_ < least_vectors * lanes) packed *= 2;
    // Enough packed rows to amortize the copies of channel values.
    constexpr dim_t least_packed_rows = 8;
    if (packed <= rows_.run_length() && packed * least_packed_rows <= rows()) packed_rows_ = packed;
}

void channel_plan_t::choose_chunks() {
    constexpr dim_t many_chunks = 64;
    constexpr dim_t whole_tiles = 320; // a multiple of every tile width
    const dim_t all_elements = units() * rows() * line_;
    if (kind_ == channel_rows_t::planes) {
        // Some hundred elements are added to each lane of an accumulator.
        constexpr dim_t least_elements = 4096, most_elements = 32768;
        constexpr dim_t most_tiles = 512, tile = 64;
        const dim_t elements =
                std::clamp(all_elements / many_chunks, least_elements, most_elements);
        columns_per_chunk_ = line_ <= most_elements ? line_ : elements / whole_tiles * whole_tiles;
        const dim_t most_rows = most_tiles / divide_up(columns_per_chunk_, tile);
        rows_per_chunk_ = std::max(dim_t(1), std::min(elements / line_, most_rows));
    } else {
        // Some hundred terms are added to a sum: a row each, or a row block each if rows are short.
        // A row block ends with its run.
        constexpr dim_t least_rows = 64, least_elements = 32768, most_runs = 64;
        const dim_t most_rows = packed_line() <= longest_short_row ? 4096 : 512;
        const dim_t least = std::max(least_rows, least_elements / line_);
        const dim_t rows_per_chunk =
                std::min({std::max(least, divide_up(units() * rows(), many_chunks)),
                        most_rows * packed_rows_, most_runs * rows_.run_length()});
        rows_per_chunk_ = round_up(rows_per_chunk, packed_rows_);
        // Long rows are cut if there are few of them.
        constexpr dim_t few_chunks = 16;
        const bool is_few = units() * divide_up(rows(), rows_per_chunk_) < few_chunks;
        columns_per_chunk_ = is_few && packed_rows_ == 1 ? whole_tiles : line_;
    }
    row_chunks_ = divide_up(rows(), rows_per_chunk_);
    column_chunks_ = divide_up(line_, columns_per_chunk_);
    constexpr dim_t small_unit = 8192;
    joins_units_ = kind_ == channel_rows_t::planes && chunks_per_unit() == 1
                   && rows() * line_ <= small_unit && rows_.run_length() == rows()
                   && units_.run_length() == units();
}

dim_t channel_plan_t::first_channel(dim_t unit) const { return units_.offset_of(unit, 0); }

dim_t channel_plan_t::channels_of(dim_t unit) const {
    if (kind_ == channel_rows_t::planes) return 1;
    return std::min(channels_per_row(), channels_ - first_channel(unit));
}

dim_t channel_plan_t::partials_per_unit() const {
    return kind_ == channel_rows_t::planes ? chunks_per_unit() : row_chunks_;
}

channel_chunk_t channel_plan_t::chunk(dim_t unit, dim_t index) const {
    const dim_t row = index / column_chunks_ * rows_per_chunk_;
    const dim_t column = index % column_chunks_ * columns_per_chunk_;
    return {unit, 1, row, std::min(row + rows_per_chunk_, rows()), column,
            std::min(column + columns_per_chunk_, line_),
            kind_ == channel_rows_t::planes ? index : index / column_chunks_};
}

void channel_plan_t::sample_offsets(std::span<dim_t> offsets) const {
    const auto count = static_cast<dim_t>(offsets.size());
    // The first sweep reads a plane's first row next, so samples from it cost no extra cache miss.
    const bool is_within_row = kind_ == channel_rows_t::planes && line_ >= count;
    const dim_t row_length = kind_ == channel_rows_t::planes ? line_ : 1;
    const dim_t last = (is_within_row ? 1 : rows()) * row_length - 1;
    for (dim_t i = 0; i < count; ++i) {
        const dim_t element = i * last / (count - 1);
        offsets[static_cast<size_t>(i)] =
                is_within_row ? element
                              : rows_.offset_of(element / row_length, 0) + element % row_length;
    }
}

} // namespace kiln::x64
