// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut.

#include "cpu/x64/matrix/blocking.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {
namespace {

/// Bytes of B's part of a block. The rest of the cache is for rows of A and C.
dim_t block_bytes() { return static_cast<dim_t>(second_level_cache_size() / 2); }

/// About the cycles of a step of a tile: its multiplications, at least the latency of one of them,
/// somewhat more than a cycle for each load, and several for each cache line of a long panel of B
/// that further strips read, from the second-level cache. Where products are added in instructions
/// of their own, bytes of B are also widened, in half the time of a product and its addition.
double step_cycles(isa_t isa, step_t step, const shape_t &shape, dim_t rows, dim_t vectors) {
    constexpr dim_t short_panel_bytes = 65536;
    constexpr double cycles_of_load = 1.25, cycles_of_line = 6.75, of_widening = 0.5;
    const double latency = base_of(step) == step_t::u8s8 ? 10 : 8;
    const auto all = static_cast<double>(vectors);
    const dim_t line_bytes = vectors * jit::lanes_of(isa) * 4;
    const double lines = shape.m > rows && shape.steps * line_bytes > short_panel_bytes
                                 ? static_cast<double>(line_bytes) / cache_line_bytes
                                 : 0;
    return std::max({latency,
            static_cast<double>(rows) * all + (has_product(isa, step) ? of_widening * all : 0),
            cycles_of_load * static_cast<double>(rows + vectors), cycles_of_line * lines});
}

dim_t vectors_in(isa_t isa, dim_t columns) { return divide_up<dim_t>(columns, jit::lanes_of(isa)); }

dim_t most_rows_of(isa_t isa, step_t step, const shape_t &shape, int vectors) {
    return std::min<dim_t>(shape.most_rows, most_rows(isa, step, vectors));
}

/// Cycles of a step of all tiles, and of packing A.
double grid_cycles(isa_t isa, step_t step, const shape_t &shape, int vectors) {
    const dim_t strips = divide_up(shape.m, most_rows_of(isa, step, shape, vectors));
    const dim_t rows = divide_up(shape.m, strips), all = vectors_in(isa, shape.n);
    const dim_t whole_panels = all / vectors, rest = all % vectors;
    constexpr double with_packing = 1.06;
    return (rows > shape.near_rows ? with_packing : 1) * static_cast<double>(strips)
           * (static_cast<double>(whole_panels) * step_cycles(isa, step, shape, rows, vectors)
                   + (rest == 0 ? 0 : step_cycles(isa, step, shape, rows, rest)));
}

int choose_vectors(isa_t isa, step_t step, const shape_t &shape, b_layout_t layout) {
    int best = 1;
    for (int vectors = 2; vectors <= most_packed_vectors; ++vectors)
        if (grid_cycles(isa, step, shape, vectors) < grid_cycles(isa, step, shape, best))
            best = vectors;
    if (layout == b_layout_t::packed
            || shape.m > most_rows_of(isa, step, shape, most_packed_vectors))
        return best;
    const int rows = static_cast<int>(shape.m);
    const dim_t all = vectors_in(isa, shape.n);
    const dim_t most = most_vectors(isa, step, rows);
    // An even number of panels, which two threads may share.
    const dim_t panels = all <= most ? 1 : round_up<dim_t>(divide_up(all, most), 2);
    return static_cast<int>(divide_up(all, panels));
}

/// Vectors of the widest of `parts` runs of panels. The last run is one of those with most panels.
dim_t widest_part(const blocking_t &b, dim_t parts) {
    const dim_t most = divide_up(b.panels, parts);
    const dim_t of_last = most * b.vectors - (b.vectors - b.last_vectors);
    const bool is_only_one_with_most = parts == 1 || b.panels % parts == 1;
    return std::max(of_last, (is_only_one_with_most ? most - 1 : most) * b.vectors);
}

} // namespace

dim_t near_rows(dim_t row_bytes, size_t ways) {
    constexpr dim_t lines_of_b = 2;
    const dim_t lines = std::max<dim_t>(1, static_cast<dim_t>(ways) - lines_of_b);
    return page_bytes / std::gcd(row_bytes, page_bytes) * lines;
}

dim_t near_columns(dim_t column_bytes, size_t cache_bytes) {
    constexpr dim_t ways = 16; // of most processors
    const dim_t way_bytes = static_cast<dim_t>(cache_bytes) / ways;
    const dim_t lines =
            std::min(way_bytes / cache_line_bytes, way_bytes / std::gcd(column_bytes, way_bytes));
    return lines * ways / 2;
}

blocking_t block(
        isa_t isa, step_t step, const shape_t &shape, b_layout_t layout, int vectors, dim_t group) {
    blocking_t b;
    b.vectors = vectors != 0 ? vectors : choose_vectors(isa, step, shape, layout);
    const dim_t width = b.vectors * jit::lanes_of(isa);
    b.strips = divide_up(shape.m, most_rows_of(isa, step, shape, b.vectors));
    b.rows = static_cast<int>(divide_up(shape.m, b.strips));
    b.tall = shape.m - b.strips * (b.rows - 1);
    b.panels = divide_up(shape.n, width);
    b.tail = static_cast<int>(shape.n % width);
    b.last_vectors = b.tail == 0 ? b.vectors : static_cast<int>(vectors_in(isa, shape.n % width));
    b.blocks = std::max<dim_t>(1, divide_up(shape.steps, shape.block_steps / shape.lane_floats));
    if (b.blocks > 1) b.blocks = round_up<dim_t>(b.blocks, 2); // which two threads may share
    const dim_t unit = std::lcm(steps_of_packing, std::max<dim_t>(1, group));
    b.block_steps = b.blocks == 1 ? shape.steps : round_up(divide_up(shape.steps, b.blocks), unit);
    b.blocks = std::max<dim_t>(1, divide_up(shape.steps, std::max<dim_t>(1, b.block_steps)));
    const dim_t panel_bytes = std::max<dim_t>(1, b.block_steps * width * 4 * shape.lane_floats);
    b.block_panels = std::clamp<dim_t>(block_bytes() / panel_bytes, 1, b.panels);
    return b;
}

std::string blocking_t::text(int lanes) const {
    std::string text = std::to_string(strips) + " strips of " + std::to_string(rows) + " rows, "
                       + std::to_string(panels) + " panels of " + std::to_string(vectors * lanes)
                       + " columns";
    if (blocks > 1)
        text += ", K in " + std::to_string(blocks) + " blocks of " + std::to_string(block_steps);
    return text;
}

bool is_cut_along_k(const blocking_t &blocking) {
    constexpr dim_t few_tiles = 8;
    return blocking.blocks > 1 && blocking.strips * blocking.panels <= few_tiles;
}

parts_t share(const blocking_t &blocking, dim_t count, const packing_cost_t &packing) {
    // The vectors of tiles of the largest part.
    const auto work = [&](const parts_t &parts) {
        return (divide_up(blocking.strips, parts.strips)
                       + divide_up<dim_t>(packing.rows, blocking.rows))
               * (widest_part(blocking, parts.panels) + packing.vectors);
    };
    // About the rows of A and the columns of B that all parts read.
    constexpr dim_t lanes = 16;
    const auto reads = [&](const parts_t &parts) {
        return parts.panels * blocking.strips * blocking.rows
               + parts.strips * blocking.panels * blocking.vectors * lanes;
    };
    const auto is_better = [&](const parts_t &parts, const parts_t &other) {
        const dim_t of_parts = work(parts), of_other = work(other);
        // They take as long, within what such an estimate is worth: a 96th.
        const bool are_alike =
                std::abs(of_parts - of_other) <= of_other / 96 && parts.count() == other.count();
        return are_alike ? reads(parts) < reads(other) : of_parts < of_other;
    };
    parts_t best{1, 1};
    for (dim_t panels = std::min(count, blocking.panels); panels >= 1; --panels) {
        const parts_t parts{std::min(count / panels, blocking.strips), panels};
        if (is_better(parts, best)) best = parts;
    }
    return best;
}

next_block_fetch_t fetch_next_block(
        const blocking_t &blocking, dim_t strips, dim_t step_bytes, dim_t panel) {
    constexpr dim_t line = cache_line_bytes;
    const dim_t periods = blocking.block_steps / next_block_fetch_t::period;
    if (periods == 0 || strips == 1) return {};
    const dim_t panel_lines = divide_up(blocking.block_steps * step_bytes, line);
    const dim_t lines = divide_up(panel_lines, periods * strips);
    // Of many strips, only the first one waits for B: too little time to be worth the fetches.
    if (lines == 1) return {};
    return {static_cast<int>(lines), line, lines * line, periods * lines * line, panel};
}

next_block_fetch_t fetch_next_columns(dim_t strips, dim_t column_bytes, dim_t width) {
    constexpr dim_t line = cache_line_bytes, most_strips = 24;
    if (strips > most_strips) return {};
    const dim_t columns = divide_up(width, strips);
    return {static_cast<int>(columns), column_bytes, line, columns * column_bytes,
            width * column_bytes};
}

std::optional<dim_t> next_block_fetch_t::offset(
        dim_t index, dim_t strips, dim_t panel_bytes) const {
    const dim_t bytes = (strips - 1 - index) * strip_run;
    return lines != 0 && bytes < panel_bytes ? std::optional(bytes) : std::nullopt;
}

} // namespace kiln::x64::matrix
