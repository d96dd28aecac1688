// SPDX-License-Identifier: Apache-2.0
// The kernel that transposes: adjacent elements of src become elements of different lines of dst.
#pragma once

#include <string>
#include <vector>

#include "common/function_ref.hpp"
#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/interleave.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::nests {

/// What distinguishes one kernel from another. A cell is one element, or a few that are adjacent in
/// src and in dst. Rows are runs of cells in src, lines are runs of cells in dst. Each line of a
/// tile has one cell of each of the tile's rows.
struct tile_spec_t {
    isa_t isa;
    data_type_t src_type, dst_type;           // equal: bits are moved
    data_type_t clamp = dnnl_data_type_undef; // to which bytes that are moved are clamped
    int cell = 1;                             // elements of a cell
    int rows = 0;                             // of a tile
    int padding = 0;                          // zeros behind the cells of a line
    int tail = 0;                             // lines that are no whole vector
    bool is_dense = false;                    // lines are contiguous in dst
    bool keeps_lanes = false;                 // elements stay 32 bits wide until they are lines
    bool lines_outside = false;               // the loop over lines is outside the loop over tiles
    bool fetches_lines = false;   // of dst, which are as long as cache lines, two of them ahead
    bool is_non_temporal = false; // lines, or the vectors of dense ones, are aligned

    /// Lines to which the cells of one vector go.
    int lines_of_vector() const { return jit::lanes_of(isa) / cell; }
    /// The most rows of a tile: then a line is a cache line.
    int most_rows() const;
    /// E.g. nest_tile_f32_bf16_avx512_core.
    std::string name() const;

    bool operator==(const tile_spec_t &) const = default;
};

/// Distances are bytes.
struct tile_args_t {
    const void *src;
    void *dst;
    dim_t src_row_stride;
    dim_t dst_line_stride;
    dim_t vectors;  // whole vectors of lines
    dim_t has_tail; // whether the tail's lines follow
    dim_t tiles;
    dim_t src_tile_stride;
    dim_t dst_tile_stride;
};

/// dst[line][row] = convert(src[row][line]) for the lines of one vector after another:
/// 1. a vector of elements is loaded from each row and converted;
/// 2. elements of several rows that fill 32 bits are combined in each lane;
/// 3. the lanes are transposed, which gives lines;
/// 4. the lines are stored.
/// Squares of 32-bit elements are loaded by square_load_t, in the place of steps 1 to 3.
/// A line may be shorter than its bytes in registers. All lines but those of the last vector are
/// then stored with the bytes behind, which the next line overwrites. With keeps_lanes, elements
/// are converted after step 3 instead, in groups of rows that fit into registers as floats.
/// Registers: a vector for each row of a group (16 at most with 16 lanes), temporaries of the
/// transposition; eleven addresses, strides and counters.
class tile_kernel_t : public jit::generator_t {
public:
    explicit tile_kernel_t(const tile_spec_t &spec);

private:
    struct registers_t;

    /// Rows that are transposed together.
    struct group_t {
        int rows;
        int lane_bytes; // of a line in registers, without padding: a power of two
        int line_bytes; // in dst
        int dst_bytes;  // the same after conversion to the type of dst
        int offset;     // of the group in a line, in bytes
    };

    void generate() override;
    void write_tiles(registers_t &r);
    void write_tile(registers_t &r);
    void write_columns(registers_t &r);
    void for_each_vector(registers_t &r, const function_ref_t<void()> &body,
            const function_ref_t<void()> &last, const function_ref_t<void()> &tail);
    /// Writes the lines of one vector of the rows, from `first_line`. Then `line` is behind them.
    void write_lines(registers_t &r, int count, bool is_last);
    group_t group(int first_row) const;
    bool is_square_of_lanes(const group_t &group, int count) const;
    /// With those of the padding, which lines of cells of several elements do not have.
    int cells_of_line() const { return spec_.rows + spec_.padding; }
    bool has_one_group() const { return cells_of_line() <= rows_of_group(); }
    int rows_of_group() const { return lanes() * 4 / cell_size_; }
    bool overlaps() const;
    vecs_t load_rows(registers_t &r, const group_t &group, int count);
    void load_row(const Xmm &to, registers_t &r, int count);
    void pack_vectors(const std::vector<Xmm> &vecs, int count);
    void store_dense(
            registers_t &r, const group_t &group, const std::vector<Xmm> &lines, int count);
    void store_apart(registers_t &r, const group_t &group, const std::vector<Xmm> &lines, int count,
            bool is_last);
    void store(const Xmm &vec, int first, int bytes, const RegExp &at);

    const tile_spec_t spec_;
    const int src_size_, dst_size_;
    const int cell_size_;   // bytes of a cell in lanes
    const int vector_size_; // bytes of a register with lines in the type of dst
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::nests
