// SPDX-License-Identifier: Apache-2.0
// Passes over nests that have one loop of stride 1 in src and another one in dst, of elements or of
// short runs.

#include <algorithm>
#include <optional>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/nests/nest_pass.hpp"
#include "cpu/x64/nests/tile_kernel.hpp"

namespace kiln::x64::nests {
namespace {

/// Lines of an item: their pages fit into the processor's address translation cache.
constexpr dim_t most_lines = 512;
constexpr dim_t small_item_bytes = 65536;
/// Lines of cells are so few that an item has many of their tiles: dst is written line by line.
constexpr dim_t few_lines_of_cells = 32;
/// With at most so many lines, an item fits into the L2 cache, and the lines of one vector are
/// visited in all of its tiles before the next lines.
constexpr dim_t few_lines = 256;
constexpr dim_t cached_item_bytes = 524288;
/// An item whose lines are visited twice, for whole tiles and for the rest, fits into the L1 cache.
constexpr dim_t twice_visited_bytes = 8192;

/// The loops that a tile is made of.
struct tile_loops_t {
    loop_t lines; // stride 1 in src
    loop_t rows;  // stride 1 in dst
};

class tile_pass_t final : public nest_pass_t {
public:
    /// Rows that do not fill a tile follow the last whole one, if there is one; padding of the nest
    /// is behind them.
    tile_pass_t(const nest_t &nest, const element_types_t &types, const tile_spec_t &spec,
            const tile_loops_t &loops)
        : nest_pass_t(nest, types)
        , loops_(loops)
        , spec_(spec) {
        spec_.rows = static_cast<int>(std::min<dim_t>(loops.rows.extent, spec.most_rows()));
        const dim_t rest = loops.rows.extent % spec_.rows;
        const dim_t padding = rest == 0 ? nest.padding : 0;
        spec_.padding = static_cast<int>(padding);
        const dim_t line = spec_.rows * spec_.cell + padding;
        spec_.tail = static_cast<int>(loops.lines.extent % spec_.lines_of_vector());
        spec_.is_dense = loops.lines.dst_stride == line;
        std::vector<loop_t> outer;
        for (const loop_t &loop : nest.loops)
            if (loop != loops.lines && loop != loops.rows) outer.push_back(loop);
        const dim_t line_bytes = line * (types.src_size + types.dst_size); // of a tile
        const dim_t tiles_of_line = loops.rows.extent / spec_.rows;
        take_tiles(outer, tiles_of_line, line_bytes);
        // Two threads share the lines where there are no other loops: the rest is in the cache
        // lines of the last whole tile.
        const bool halves_lines = rest != 0 && nest.loops.size() == 2;
        const dim_t most_lines_here =
                halves_lines ? std::min(most_lines, divide_up<dim_t>(loops.lines.extent, 2))
                             : most_lines;
        const dim_t wanted_lines =
                spec_.cell == 1 ? most_lines_here : lines_of_cells(tiles_of_line * line_bytes);
        lines_of_item_ = round_up<dim_t>(
                even_share(loops.lines.extent, wanted_lines), spec_.lines_of_vector());
        constexpr dim_t few_tiles = 2;
        spec_.fetches_lines = tiles_of_line > few_tiles && line * types.dst_size == cache_line_bytes
                              && loops.lines.dst_stride * types.dst_size % cache_line_bytes != 0;
        const dim_t tile_bytes = lines_of_item_ * line_bytes;
        spec_.lines_outside = spec.cell == 1 && !spec_.is_dense
                              && loops.lines.extent > spec_.lines_of_vector()
                              && loops.lines.extent <= few_lines;
        dim_t bytes = loops.lines.extent * tiles_.extent * line_bytes;
        for (const loop_t &loop : outer) bytes *= loop.extent;
        dim_t wanted_bytes = small_item_bytes;
        if (spec_.lines_outside)
            wanted_bytes = std::clamp(bytes / least_items, small_item_bytes, cached_item_bytes);
        else if (has_tiles_around_)
            wanted_bytes = std::min(
                    bytes / least_items, rest != 0 ? twice_visited_bytes : small_item_bytes);
        tiles_of_item_ = even_share(tiles_.extent, std::max<dim_t>(wanted_bytes / tile_bytes, 1));
        tile_chunks_ = divide_up(tiles_.extent, tiles_of_item_);
        const dim_t line_chunks = divide_up(loops.lines.extent, lines_of_item_);
        choose_stores(outer, line * types.dst_size);
        const dim_t rest_bytes = tile_bytes * rest / spec_.rows / tile_chunks_;
        set_items(outer, line_chunks * tile_chunks_, tiles_of_item_ * tile_bytes + rest_bytes);
        codes_.get(spec_, false);
        if (rest == 0) return;
        tile_spec_t of_rest = spec_;
        of_rest.rows = static_cast<int>(rest);
        of_rest.padding = static_cast<int>(nest.padding);
        of_rest.fetches_lines = false;
        rest_code_.emplace(tile_kernel_t(of_rest).finish());
    }

private:
    /// The tiles of a call follow each other along the rows. Where a line has one whole tile, and
    /// that is small, they are those of the loop around it.
    void take_tiles(std::vector<loop_t> &outer, dim_t tiles_of_line, dim_t line_bytes) {
        tiles_ = {tiles_of_line, spec_.rows * loops_.rows.src_stride,
                spec_.rows * loops_.rows.dst_stride};
        const bool is_small = 2 * loops_.lines.extent * line_bytes <= small_item_bytes;
        if (!is_small || tiles_of_line > 1 || outer.empty()) return;
        tiles_ = outer.back();
        outer.pop_back();
        has_tiles_around_ = true;
    }

    /// The size of parts of `all` that are as few as possible and as equal as possible, if none is
    /// larger than `most`.
    static dim_t even_share(dim_t all, dim_t most) { return divide_up(all, divide_up(all, most)); }

    /// Lines of an item if lines consist of cells.
    dim_t lines_of_cells(dim_t line_bytes) const {
        const dim_t lines = small_item_bytes / line_bytes;
        return std::clamp(
                lines / few_lines_of_cells * few_lines_of_cells, few_lines_of_cells, most_lines);
    }

    /// Non-temporal stores if lines, or the vectors of dense ones, are whole vectors and the
    /// tensors fill the last-level cache once. Vectors of lines apart are whole cache lines, too: a
    /// cache line whose parts are stored at different times goes to memory more than once.
    void choose_stores(std::vector<loop_t> loops, dim_t line_bytes) {
        const dim_t vector_bytes = 4 * jit::lanes_of(spec_.isa);
        if (!spec_.is_dense) loops.push_back(loops_.lines);
        if (tiles_.extent > 1) loops.push_back(tiles_);
        if (spec_.is_dense ? vector_bytes % line_bytes == 0
                           : line_bytes == vector_bytes && vector_bytes == cache_line_bytes)
            set_non_temporal(vector_bytes, loops);
    }

    void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const override {
        const dim_t first_line = chunk / tile_chunks_ * lines_of_item_;
        const dim_t first_tile = chunk % tile_chunks_ * tiles_of_item_;
        const dim_t lines = std::min(lines_of_item_, loops_.lines.extent - first_line);
        tile_args_t args;
        args.src_row_stride = loops_.rows.src_stride * types_.src_size;
        args.dst_line_stride = loops_.lines.dst_stride * types_.dst_size;
        args.src_tile_stride = tiles_.src_stride * types_.src_size;
        args.dst_tile_stride = tiles_.dst_stride * types_.dst_size;
        args.vectors = lines / spec_.lines_of_vector();
        args.has_tail = lines % spec_.lines_of_vector() != 0;
        const auto run = [&](const jit::executable_code_t &code, dim_t first_row, dim_t first,
                                 dim_t tiles) {
            args.src = at.src + first_line * loops_.lines.src_stride * types_.src_size
                       + first_row * args.src_row_stride + first * args.src_tile_stride;
            args.dst = at.dst + first_line * args.dst_line_stride
                       + first_row * loops_.rows.dst_stride * types_.dst_size
                       + first * args.dst_tile_stride;
            args.tiles = tiles;
            code(args);
        };
        const dim_t tiles = std::min(tiles_of_item_, tiles_.extent - first_tile);
        run(codes_.get(spec_, is_non_temporal), 0, first_tile, tiles);
        if (!rest_code_) return;
        const dim_t first_row = loops_.rows.extent / spec_.rows * spec_.rows;
        if (has_tiles_around_)
            run(*rest_code_, first_row, first_tile, tiles);
        else if (first_tile + tiles == tiles_.extent)
            run(*rest_code_, first_row, 0, 1);
    }

    const tile_loops_t loops_;
    tile_spec_t spec_;
    loop_t tiles_; // of which a call has some
    bool has_tiles_around_ = false;
    dim_t lines_of_item_, tiles_of_item_, tile_chunks_;
    const jit::store_variants_t<tile_kernel_t> codes_;
    std::optional<jit::executable_code_t> rest_code_; // for the rows that do not fill a tile
};

/// `pads` becomes false if padding does not fit into the last tile of a line.
void add_pass_of_tiles(passes_t &passes, nest_t nest, const element_types_t &types,
        const tile_spec_t &spec, const tile_loops_t &loops, bool &pads) {
    const dim_t rest = loops.rows.extent % spec.most_rows();
    if (nest.padding != 0 && (rest == 0 || rest + nest.padding > spec.most_rows())) {
        nest.padding = 0;
        pads = false;
    }
    passes.push_back(std::make_unique<tile_pass_t>(nest, types, spec, loops));
}

/// The loops of tiles of cells, if the nest has them.
std::optional<tile_loops_t> find_loops(const nest_t &nest, dim_t cell) {
    const auto lines = std::ranges::find(nest.loops, cell, &loop_t::src_stride);
    const auto rows = std::ranges::find(nest.loops, cell, &loop_t::dst_stride);
    if (lines == nest.loops.end() || rows == nest.loops.end() || lines == rows) return std::nullopt;
    return tile_loops_t{*lines, *rows};
}

/// The nest with words of four bytes instead of elements of `size` bytes. Nothing if a run is not
/// whole words.
std::optional<nest_t> in_words(const nest_t &nest, dim_t size) {
    nest_t words = nest;
    bool is_whole = true;
    const auto scale = [&](dim_t &elements) {
        is_whole = is_whole && elements * size % 4 == 0;
        elements = elements * size / 4;
    };
    scale(words.src_offset);
    scale(words.dst_offset);
    for (loop_t &loop : words.loops) {
        if (is_run(loop)) {
            scale(loop.extent);
        } else {
            scale(loop.src_stride);
            scale(loop.dst_stride);
        }
    }
    return is_whole ? std::optional(words) : std::nullopt;
}

/// Half vectors for tiles that fill no more.
isa_t choose_isa(isa_t isa, const tile_loops_t &loops, const element_types_t &types) {
    const isa_t half = half_width_isa(isa);
    const dim_t lanes = jit::lanes_of(half);
    const bool is_narrow =
            loops.lines.extent <= lanes && loops.rows.extent * types.dst_size <= lanes * 4;
    return is_narrow ? half : isa;
}

} // namespace

bool add_tile_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads) {
    const std::optional<tile_loops_t> loops = find_loops(nest, 1);
    if (!loops) return false;
    tile_spec_t spec{.isa = choose_isa(isa, *loops, types),
            .src_type = types.loaded(),
            .dst_type = types.dst,
            .clamp = types.clamp()};
    constexpr dim_t very_few_lines = 4;
    spec.keeps_lanes = !types.move_bits() && types.dst != dnnl_f32
                       && loops->lines.extent <= very_few_lines && nest.padding == 0
                       && loops->rows.extent >= jit::lanes_of(spec.isa);
    add_pass_of_tiles(passes, nest, types, spec, *loops, pads);
    return true;
}

bool add_cell_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types) {
    const auto run = std::ranges::find_if(nest.loops, is_run);
    if (run == nest.loops.end() || nest.padding != 0 || nest.block != 0) return false;
    const bool moves_bits = types.move_bits();
    std::optional<nest_t> around = moves_bits ? in_words(nest, types.src_size) : nest;
    if (!around) return false;
    const auto run_in_words = around->loops.begin() + (run - nest.loops.begin());
    const dim_t cell = run_in_words->extent;
    if ((cell & (cell - 1)) != 0 || 2 * cell > jit::lanes_of(isa)) return false;
    around->loops.erase(run_in_words);
    const std::optional<tile_loops_t> loops = find_loops(*around, cell);
    if (!loops) return false;
    // Runs of half a cache line are copied one by one in less time where a line has a few tiles.
    const bool is_half_line = moves_bits && 2 * 4 * cell == cache_line_bytes;
    constexpr dim_t least_runs = 4, most_runs = 8;
    const dim_t runs = loops->rows.extent;
    if (is_half_line && runs >= least_runs && runs <= most_runs) return false;
    const element_types_t lane_types =
            moves_bits ? element_types_t{dnnl_f32, dnnl_f32, 4, 4} : types;
    tile_spec_t spec{.isa = isa,
            .src_type = lane_types.src,
            .dst_type = lane_types.dst,
            .clamp = types.clamp()};
    spec.cell = static_cast<int>(cell);
    spec.keeps_lanes = true;
    bool pads = true;
    add_pass_of_tiles(passes, *std::move(around), lane_types, spec, *loops, pads);
    return true;
}

} // namespace kiln::x64::nests
