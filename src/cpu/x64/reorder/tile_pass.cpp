// SPDX-License-Identifier: Apache-2.0
// Nests that have one loop innermost in src and another one in dst.

#include <algorithm>
#include <array>

#include "common/data_type.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/reorder/reorder_pass.hpp"
#include "cpu/x64/reorder/tile_kernel.hpp"

namespace kiln::x64::reorder {
namespace {

/// Lines of an item: their pages should not be more than a processor keeps the addresses of.
constexpr dim_t most_lines = 512;
constexpr dim_t wanted_item_bytes = 65536;

/// Narrow tiles on AVX2's vectors.
isa_t choose_isa(const loop_t &lines, const loop_t &rows, const element_types_t &types) {
    const dim_t lanes = jit::lanes_of(isa_t::avx2);
    const bool is_narrow = lines.extent <= lanes && rows.extent * types.dst_size <= lanes * 4;
    return is_narrow ? isa_t::avx2 : exact_isa();
}

class tile_pass_t final : public reorder_pass_t {
public:
    /// `lines` are the loop along src, `rows` the loop along dst.
    tile_pass_t(const nest_t &nest, const element_types_t &types, isa_t isa, const loop_t &lines,
            const loop_t &rows)
        : reorder_pass_t(nest, types)
        , lines_(lines)
        , rows_(rows) {
        const dim_t most_rows = tile_spec_t::most_rows(isa, types.dst);
        rows_of_tile_ = std::min(rows.extent, most_rows);
        const dim_t line = rows_of_tile_ + nest.padding;
        const int lanes = jit::lanes_of(isa);
        spec_ = {isa, types.src, types.dst, static_cast<int>(rows_of_tile_),
                static_cast<int>(nest.padding), static_cast<int>(lines.extent % lanes),
                lines.dst_stride == line, false};
        lines_of_item_ = std::min(lines.extent, most_lines);
        const dim_t tiles = rows.extent / rows_of_tile_;
        const dim_t tile_bytes = lines_of_item_ * rows_of_tile_ * (types.src_size + types.dst_size);
        tiles_of_item_ = std::clamp<dim_t>(wanted_item_bytes / tile_bytes, 1, tiles);
        tile_chunks_ = (tiles + tiles_of_item_ - 1) / tiles_of_item_;
        const dim_t line_chunks = (lines.extent + lines_of_item_ - 1) / lines_of_item_;
        std::vector<loop_t> outer;
        for (const loop_t &loop : nest.loops)
            if (!(loop == lines) && !(loop == rows)) outer.push_back(loop);
        choose_vector_bytes(outer);
        set_items(std::move(outer), line_chunks * tile_chunks_, tiles_of_item_ * tile_bytes);
        code_for(false);
    }

private:
    void choose_vector_bytes(std::vector<loop_t> loops) {
        const dim_t vector_bytes = 4 * jit::lanes_of(spec_.isa);
        const dim_t line_bytes = (spec_.rows + spec_.padding) * types_.dst_size;
        if (!spec_.is_dense) loops.push_back(lines_);
        if (spec_.is_dense ? vector_bytes % line_bytes == 0 : line_bytes == vector_bytes)
            set_vector_bytes(vector_bytes, loops);
    }

    void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const override {
        const dim_t first_line = chunk / tile_chunks_ * lines_of_item_;
        const dim_t first_tile = chunk % tile_chunks_ * tiles_of_item_;
        const dim_t lines = std::min(lines_of_item_, lines_.extent - first_line);
        const dim_t tiles = rows_.extent / rows_of_tile_;
        tile_args_t args;
        args.src_row_stride = rows_.src_stride * types_.src_size;
        args.dst_line_stride = lines_.dst_stride * types_.dst_size;
        args.src_tile_stride = rows_of_tile_ * args.src_row_stride;
        args.dst_tile_stride = rows_of_tile_ * types_.dst_size;
        args.src = at.src + first_line * types_.src_size + first_tile * args.src_tile_stride;
        args.dst = at.dst + first_line * args.dst_line_stride + first_tile * args.dst_tile_stride;
        args.vectors = lines / jit::lanes_of(spec_.isa);
        args.has_tail = lines % jit::lanes_of(spec_.isa) != 0;
        args.tiles = std::min(tiles_of_item_, tiles - first_tile);
        code_for(is_non_temporal).entry<void (*)(tile_args_t *)>()(&args);
    }

    const jit::executable_code_t &code_for(bool is_non_temporal) const {
        return codes_[is_non_temporal ? 1 : 0].get([&] {
            tile_spec_t spec = spec_;
            spec.is_non_temporal = is_non_temporal;
            return tile_kernel_t(spec).finish();
        });
    }

    const loop_t lines_, rows_;
    tile_spec_t spec_;
    dim_t rows_of_tile_, lines_of_item_, tiles_of_item_, tile_chunks_;
    mutable std::array<jit::lazy_code_t, 2> codes_;
};

} // namespace

bool add_tile_passes(
        passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads) {
    const auto lines = std::find_if(nest.loops.begin(), nest.loops.end(),
            [](const loop_t &loop) { return loop.src_stride == 1; });
    const auto rows = std::find_if(nest.loops.begin(), nest.loops.end(),
            [](const loop_t &loop) { return loop.dst_stride == 1; });
    if (lines == nest.loops.end() || rows == nest.loops.end() || lines == rows) return false;
    const isa_t isa = choose_isa(*lines, *rows, types);
    const auto rows_at = rows - nest.loops.begin();
    const dim_t most_rows = tile_spec_t::most_rows(isa, types.dst);
    const auto add = [&](dim_t first_row, dim_t count, dim_t padding) {
        nest_t part = nest;
        loop_t &part_rows = part.loops[static_cast<size_t>(rows_at)];
        part.src_offset += first_row * part_rows.src_stride;
        part.dst_offset += first_row;
        part_rows.extent = count;
        part.padding = padding;
        passes.push_back(std::make_unique<tile_pass_t>(part, types, isa, *lines, part_rows));
    };
    const dim_t rest = rows->extent % most_rows;
    const dim_t whole = rows->extent - rest;
    const bool pads_here = rest != 0 && rest + nest.padding <= most_rows;
    if (nest.padding != 0 && !pads_here) pads = false;
    if (whole != 0) add(0, whole, 0);
    if (rest != 0) add(whole, rest, pads_here ? nest.padding : 0);
    return true;
}

} // namespace kiln::x64::reorder
