// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut into tiles, blocks and parts: arithmetic on the shape and the ISA
// level, without data.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// Steps of a block of K at most: long enough that adding to partial sums costs little.
constexpr dim_t most_block_steps = 1024;
/// Steps that packing transposes at a time: blocks are multiples.
constexpr dim_t steps_of_packing = 16;

/// C[m][n] += A[m][k] * B[k][n] for m rows, n columns and a number of steps along K.
struct shape_t {
    dim_t m, n, steps;
    dim_t most_rows = unlimited; // of a tile
    dim_t near_rows = unlimited; // of a tile whose rows of A need not be packed
    dim_t lane_floats = 1;       // that a lane of a step of B becomes, if blocks are of floats
    dim_t block_steps = most_block_steps;

    static constexpr dim_t unlimited = std::numeric_limits<dim_t>::max();
};

/// Rows of A, `row_bytes` apart, whose elements of a step stay in a first-level cache of `ways`
/// ways, beside lines of B. Lines a page apart share a set.
dim_t near_rows(dim_t row_bytes, size_t ways);

/// Steps of a transposed A, whose columns are `column_bytes` apart, that half of a second-level
/// cache of `cache_bytes` bytes holds. Lines as far apart as its ways have bytes share a set.
dim_t near_columns(dim_t column_bytes, size_t cache_bytes);

/// Vectors of a packed panel at most.
constexpr int most_packed_vectors = 4;

/// A run of rows, columns or steps.
struct range_t {
    dim_t begin, end;
    dim_t size() const { return end - begin; }
};

/// A strip is the rows of one tile, a panel its columns. Strips have `rows` rows, or one less from
/// strip `tall` on, so that no strip is much shorter than the others.
struct blocking_t {
    int rows = 1;
    int vectors = 1; // of a panel
    dim_t strips = 1;
    dim_t tall = 1;        // strips of `rows` rows
    dim_t panels = 1;      // the narrower one included
    int tail = 0;          // columns of the last panel if it is narrower
    int last_vectors = 1;  // of the last panel
    dim_t block_steps = 1; // steps of a block of K: its sums are added to those of the block before
    dim_t blocks = 1;      // of K
    dim_t block_panels = 1; // panels of a block of N: B's part of a block stays in the L2 cache

    dim_t first_row(dim_t strip) const { return strip * rows - (strip > tall ? strip - tall : 0); }
    int rows_of(dim_t strip) const { return strip < tall ? rows : rows - 1; }
    range_t steps_of(dim_t block, dim_t steps) const {
        const dim_t begin = block * block_steps;
        return {begin, begin + block_steps < steps ? begin + block_steps : steps};
    }
    /// "6 strips of 11 rows, 24 panels of 32 columns, K in 2 blocks of 384".
    std::string text(int lanes) const;
};

/// What limits the width of panels.
enum class b_layout_t {
    packed, ///< Panels of B are packed: a few vectors.
    plain,  ///< Rows of B are read where they are: where there are few rows, panels are as wide as
            ///< the registers allow, so that a row of B is read in long runs.
};

/// `vectors`: of a panel, if its width is settled; else 0. `group`: steps of a group, of which
/// blocks of K are whole ones; 0: there are none.
blocking_t block(isa_t isa, step_t step, const shape_t &shape, b_layout_t layout, int vectors = 0,
        dim_t group = 0);

/// Where a grid of strips and panels has too few tiles for threads and K is long, the blocks of K
/// are summed by different threads. It depends on the shape alone.
bool is_cut_along_k(const blocking_t &blocking);

/// The grid of strips x panels, cut into rectangles of about the same size: how many there are
/// along each axis.
struct parts_t {
    dim_t strips, panels;
    dim_t count() const { return strips * panels; }
};
/// Each part along the strips reads, and may pack, all of B, each part along the panels all of A.
/// The cost of packing, as the multiplications that take as long: of more rows, or of more vectors
/// of columns.
struct packing_cost_t {
    dim_t rows = 0;    // of B
    dim_t vectors = 0; // of A
};
/// The cut whose largest part is the smallest; of those that hardly differ, the one that reads
/// less.
parts_t share(const blocking_t &blocking, dim_t count, const packing_cost_t &packing = {});

/// While a few strips of rows are multiplied by a block of B, they fetch the next block. Packed B:
/// each a run of cache lines of each of its panels. Columns of adjacent elements, from which a
/// block is packed: each some columns of each panel, a line of each at a time. The last strip
/// begins.
struct next_block_fetch_t {
    int lines = 0;       // of a panel, during `period` steps; 0: nothing is fetched
    dim_t line = 0;      // bytes from one of these to the next
    dim_t advance = 0;   // bytes to those of the next period
    dim_t strip_run = 0; // bytes from what a strip fetches to what the strip before does
    dim_t panel = 0;     // bytes from panel to panel

    /// Steps after which lines are fetched: a cache line of floats of A, or of a column.
    static constexpr int period = 16;
    /// Bytes from the first one of a panel to those that strip `index` of `strips` fetches; none if
    /// other strips fetch all of the `panel_bytes`.
    std::optional<dim_t> offset(dim_t index, dim_t strips, dim_t panel_bytes) const;
};
/// For chunks of `strips` strips, and panels of `step_bytes` in a step and `panel` bytes apart.
next_block_fetch_t fetch_next_block(
        const blocking_t &blocking, dim_t strips, dim_t step_bytes, dim_t panel);
/// For columns that are `column_bytes` apart, in panels of `width`.
next_block_fetch_t fetch_next_columns(dim_t strips, dim_t column_bytes, dim_t width);

/// Part `index` of `parts` of [0, size).
inline range_t part_of(dim_t size, dim_t parts, dim_t index) {
    return {size * index / parts, size * (index + 1) / parts};
}

} // namespace kiln::x64::matrix
