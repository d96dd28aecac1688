// SPDX-License-Identifier: Apache-2.0
// The kernel that transposes: elements that lie side by side in src go to different lines of dst.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/interleave.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::reorder {

/// What a kernel is made for. A unit is an element, or a few that lie side by side in src and in
/// dst; rows are runs of units in src, lines are runs of units in dst; a tile has a unit of each
/// row in each of its lines.
struct tile_spec_t {
    isa_t isa;
    data_type_t src_type, dst_type; // the same one: bits are moved as they are
    int unit = 1;                   // elements
    int rows = 0;                   // of a tile
    int padding = 0;                // zeros behind them in each line
    int tail = 0;                   // lines beyond whole vectors of them, or 0
    bool is_dense = false;          // lines follow one another in dst
    bool keeps_lanes = false;       // elements stay 32 bits wide until they are lines
    bool lines_outside = false;     // the loop over lines goes around that over tiles
    bool is_non_temporal = false;   // lines, or the vectors they fill together, are aligned

    /// Lines that a vector of a row goes to.
    int lines_of_vector() const { return jit::lanes_of(isa) / unit; }
    /// Most rows of a tile: lines as long as a vector.
    int most_rows() const;
    /// E.g. reorder_tile_f32_bf16_avx512_core.
    std::string name() const;

    bool operator==(const tile_spec_t &) const = default;
};

/// Strides are bytes.
struct tile_args_t {
    const void *src;
    void *dst;
    dim_t src_row_stride;
    dim_t dst_line_stride;
    dim_t vectors; // whole ones, of lines
    dim_t has_tail;
    dim_t tiles; // one behind the other
    dim_t src_tile_stride;
    dim_t dst_tile_stride;
};

/// For each vector of lines: a vector of elements is loaded from each row and converted; as many
/// rows as elements make up 32 bits are put together in each lane; then the lanes are transposed,
/// which makes them lines. Where lines are shorter than what they take in registers, all but the
/// last vector's are stored with what lies behind, and the next ones go over it. Rows that are not
/// converted before they are lines come in groups, since floats take more registers than what they
/// become.
class tile_kernel_t : public jit::generator_t {
public:
    explicit tile_kernel_t(const tile_spec_t &spec);

private:
    struct registers_t;

    /// Rows whose lines are made at a time.
    struct group_t {
        int rows;
        int slot_bytes; // of a line in lanes, without padding: a power of two
        int line_bytes; // in dst
        int dst_slot;   // of a line as dst has it, in a register
        int offset;     // of the group in a line, in bytes
    };

    void generate() override;
    bool ends_with_fence() const override { return false; }
    Xbyak::Address argument(size_t offset);
    void write_tiles(registers_t &r);
    void write_tile(registers_t &r);
    void write_columns(registers_t &r);
    void for_each_vector(registers_t &r, const std::function<void()> &body,
            const std::function<void()> &last, const std::function<void()> &tail);
    /// Vector `column` of the rows to the lines from `first_line` on, behind which `line` ends.
    void write_lines(registers_t &r, int count, bool is_last);
    group_t group(int first_row) const;
    int rows_of_group() const { return lanes() * 4 / unit_size_; }
    bool overlaps() const;
    std::vector<jit::vec_t> load_rows(registers_t &r, const group_t &group, int count);
    void load_row(const Xbyak::Xmm &to, registers_t &r, int count);
    void pack_vectors(const std::vector<Xbyak::Xmm> &vecs, int count);
    void store_dense(
            registers_t &r, const group_t &group, const std::vector<Xbyak::Xmm> &lines, int count);
    void store_apart(registers_t &r, const group_t &group, const std::vector<Xbyak::Xmm> &lines,
            int count, bool is_last);
    void store(const Xbyak::Xmm &vec, int first, int bytes, const Xbyak::RegExp &at);

    const tile_spec_t spec_;
    const int src_size_, dst_size_;
    const int unit_size_;   // in lanes
    const int vector_size_; // of a register with lines as dst has them
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::reorder
