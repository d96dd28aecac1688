// SPDX-License-Identifier: Apache-2.0
// The base of kernels on rows of elements that belong to channels: it walks the rows and provides
// the values and the sums of each element's channel.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cpu/x64/channels/channel_rows.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64 {

/// The most operands of a kernel, without those of post-ops.
constexpr size_t max_channel_operands = 5;

/// The part of a kernel's spec that concerns its walk.
struct channel_walk_t {
    isa_t isa;
    channel_rows_t rows;
    dim_t line;        // elements of a row
    dim_t value_pitch; // floats from an array of values to the next
    dim_t sum_pitch;   // floats from a unit's first sums to its second sums
    dim_t unit_sums;   // planes: floats from a unit's sums to the next unit's
    bool is_streamed;  // long rows of columns are walked one by one, as they lie in memory; it does
                       // not change sums
    bool fetches_ahead; // what load_from_memory() reads is prefetched: in columns the same place of
                        // the next page, in planes the same row of the next unit
};

/// What a spec says of an operand. By default the kernel does not touch it.
struct channel_operand_t {
    data_type_t type = dnnl_data_type_undef;
    bool is_mask = false; // a bit per element, without a type

    constexpr bool is_tensor() const { return type != dnnl_data_type_undef; }
    constexpr bool is_present() const { return is_mask || is_tensor(); }
};
/// By the index of the driver's operand.
using channel_operands_t = std::array<channel_operand_t, max_channel_operands>;

/// The arguments of a call. Operands have the indices of the spec; those of post-ops begin at
/// max_channel_operands. `rows` are those of each unit.
struct channel_args_t {
    tiled_row_args_t rows;
    int64_t pitches_of_units[max_row_operands]; // planes: bytes from behind a unit's last row to
                                                // the next unit
    int64_t units;                              // planes
    // The first value and sum of the row's first element (columns) or of the first unit's channel
    // (planes). The kernel adds to the sums. Behind them, sum_pitch apart, are as many block sums,
    // if the line has_block_sums(), which are 0 before and after a call.
    const float *values;
    float *sums;
};

/// The walk:
///
/// |                     | columns                          | planes                   |
/// | ------------------- | -------------------------------- | ------------------------ |
/// | loops, outer first  | row blocks, tiles, rows of block | units, rows, tiles       |
/// | values in registers | of a tile's channels             | of the unit's channel    |
/// | values are loaded   | once per row block and tile      | once per unit            |
/// | sums are stored     | once per row block and tile      | once per unit            |
///
/// A row block of columns with sums has at most 64 rows: so many terms are added to a register,
/// then the register is added to the total in memory, since the error of a sum grows with its
/// terms. Long rows that come from memory are read in order: a row block is rows, or a few of them
/// side by side, then tiles, and its sums are in memory between them (block sums). The additions
/// are the same.
///
/// Registers: a vector per value and vector of a tile (planes: per value), a vector per sum and
/// vector of a tile, what visit() takes; a general register per operand and five or six for the
/// loops.
class channel_kernel_t : public tiled_row_kernel_t {
protected:
    /// `values`, `sums`: how many of each a channel has.
    channel_kernel_t(const channel_walk_t &walk, const std::string &name,
            const channel_operands_t &operands, int values, int sums, bool needs_many_registers,
            const std::vector<jit::post_op_link_t> &post_ops = {});

    /// Writes the arithmetic on the vectors of a tile, whose elements are at(), with value() and
    /// sum().
    virtual void visit(const tile_t &tile) = 0;
    /// Writes what visits the vectors of a tile (planes: of a unit) once its values are in
    /// registers: `write` emits it, once or in several forms.
    virtual void choose_form(const tile_t &, const function_ref_t<void()> &write) { write(); }

    bool has(size_t operand) const { return operands_[operand].is_present(); }
    data_type_t type_of(size_t operand) const { return operands_[operand].type; }
    /// The address of vector i of the visited tile in an operand.
    RegExp at(size_t operand, int i);
    /// Loads vector i of an operand, which comes from memory if the walk fetches_ahead.
    void load_from_memory(const Xmm &to, size_t operand, int i, int count);
    /// Sets the lanes of vec to 0 for which vector i of an operand is not > 0, or its bit is 0.
    /// `scratch` is overwritten.
    void keep_passed(const Xmm &vec, size_t operand, int i, int count, const Xmm &scratch);
    /// Value and sum `index` of the channels of vector i.
    const Xmm &value(int index, int i) const { return *values_[index][is_planes() ? 0 : i]; }
    const Xmm &sum(int index, int i) const { return *sums_[index][i]; }
    bool is_planes() const { return walk_.rows == channel_rows_t::planes; }

private:
    struct registers_t;

    void write_rows() override;
    void write_row() override;
    void walk_columns(registers_t &r);
    void walk_block_by_tiles(registers_t &r);
    void walk_block_by_rows(registers_t &r);
    int rows_of_block() const;
    /// Rows that a walk in row order visits tile by tile, with values and sums in registers. Rows
    /// of 16-bit elements take more instructions a byte, and half a page for as many channels.
    int rows_side_by_side() const;
    bool is_one_tile() const { return line() <= tile_vectors() * lanes(); }
    /// Columns: whether the rows of a block are walked one after the other, each over all tiles.
    bool is_in_row_order() const {
        return walk_.is_streamed && !is_one_tile() && has_block_sums(line());
    }
    void walk_planes(registers_t &r);
    void visit_tile(const tile_t &tile);
    /// Prefetches what a walk that fetches_ahead reads after vector i of an operand.
    void fetch_ahead(size_t operand, int i);
    void take_values(registers_t &r, const tile_t &tile);
    /// Sums that begin at 0.
    void take_sums(const tile_t &tile);
    /// Loads and stores the sums of a row block, which is_in_row_order().
    void take_block_sums(const tile_t &tile);
    void keep_block_sums(const tile_t &tile);
    /// The address of sum `index` of vector i of the current tile.
    RegExp sum_place(const Reg64 &sums, int index, int i);
    void add_up_columns(const tile_t &tile);
    void add_up_planes();
    void next_unit(registers_t &r);

    const channel_walk_t walk_;
    const channel_operands_t operands_;
    const int value_count_, sum_count_;
    registers_t *registers_ = nullptr; // during generate()
    jit::list_t<vecs_t> values_, sums_;
};

} // namespace kiln::x64
