// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that visit elements of which each belongs to a channel: how rows of
// them are walked, and where a channel's values and sums are. It must not know what is computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/columns/tiled_kernel.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::normalization {

/// More than any pass reads and writes.
constexpr size_t max_channel_operands = 5;

/// Rows of columns up to this length are added up in blocks of at least 16.
constexpr dim_t longest_short_line = 64;

/// How the elements of a row belong to channels.
enum class channel_rows_t {
    columns, // each to a channel of its own, the same ones in every row
    planes,  // all to one channel
};

/// As kernels' names have it: "columns" or "planes".
const char *name_of(channel_rows_t rows);

/// What distinguishes the walk of one kernel from another's.
struct channel_walk_t {
    isa_t isa;
    channel_rows_t rows;
    dim_t line; // elements of a row
    // From one array of values, or of sums, to the next, in floats.
    dim_t value_pitch;
    dim_t sum_pitch;
    dim_t unit_sums;  // planes: from a unit's sums to the next unit's
    bool is_streamed; // operands are too large for the caches
};

/// What a kernel asks for where a ReLU lets a gradient pass: an operand of this type whose elements
/// > 0 do, a bit mask (undef), or nothing.
using relu_gate_t = std::optional<data_type_t>;
constexpr bool is_tensor(const relu_gate_t &gate) {
    return gate.has_value() && *gate != dnnl_data_type_undef;
}

/// Operands in the order a pass gives them: addresses and, from a row to the next, bytes.
struct channel_args_t {
    const void *operands[max_channel_operands];
    int64_t pitches[max_channel_operands];
    int64_t pitches_of_units[max_channel_operands]; // planes: from behind a unit's rows to the next
    int64_t units;                                  // planes
    int64_t rows;
    int64_t length; // elements of each row, as tiled_kernel_t wants them
    // The first element's value in the first array (columns), or the channel's; likewise sums, to
    // which is added.
    const float *values;
    float *sums;
    // Operands of post-ops, likewise; the kernel moves their addresses along.
    const void *post_op_operands[max_post_op_operands];
    int64_t post_op_pitches[max_post_op_operands];
    int64_t post_op_pitches_of_units[max_post_op_operands];
};

/// Columns go in blocks of a few rows, tile by tile: a tile's values are loaded and its sums stored
/// once a block, and few terms are added to a register before it is added to a total. Long rows
/// from memory go one by one, in the order in which they lie. Planes have their values in registers
/// for all rows of a unit, and a vector of sums for each vector of a tile; a call goes through
/// several units.
class channel_kernel_t : public tiled_kernel_t {
protected:
    /// `values`, `sums`: how many of each a channel has. A bit mask is an operand of type
    /// dnnl_data_type_undef.
    channel_kernel_t(const channel_walk_t &walk, const std::string &name,
            std::vector<data_type_t> operands, int values, int sums, bool needs_many_registers,
            std::vector<jit::post_op_operand_t> post_op_operands = {});

    /// Writes what happens to the vectors of a tile: loads at(), values, sums.
    virtual void visit(const tile_t &tile) = 0;
    /// Whether there is an sfence to write at the end.
    virtual bool passes_caches() const { return false; }
    /// Whether short planes are asked for two units ahead. It costs a few hundredths where they are
    /// in the caches, and pays where a unit's rows are on so many pages that the processor does not
    /// ask by itself (16x2048x7x7 bf16, a ReLU's gradient: 1.7 instead of 2.4 ms).
    virtual bool asks_ahead() const { return false; }

    data_type_t type_of(size_t operand) const { return operands_[operand]; }
    /// Where vector i of the tile that is visited lies in an operand.
    Xbyak::RegExp at(size_t operand, int i) const;
    /// The same for an operand of a post-op, by way of a register that holds as long as it does.
    Xbyak::RegExp post_op_operand_at(int index, int i, const jit::gpr_t &base);
    /// vec = 0 where vector i of the operand, a relu_gate_t, lets nothing pass. `scratch` is
    /// overwritten.
    void keep_passed(
            const Xbyak::Xmm &vec, size_t operand, int i, int count, const Xbyak::Xmm &scratch);
    /// Of the channels of vector i.
    const Xbyak::Xmm &value(int index, int i) const {
        return *values_[static_cast<size_t>(index)][is_planes() ? 0 : static_cast<size_t>(i)];
    }
    const Xbyak::Xmm &sum(int index, int i) const {
        return *sums_[static_cast<size_t>(index)][static_cast<size_t>(i)];
    }
    bool is_planes() const { return walk_.rows == channel_rows_t::planes; }

private:
    struct registers_t;

    void generate() override;
    void walk_columns(registers_t &r);
    int rows_of_block() const;
    void walk_planes(registers_t &r);
    void ask_ahead(registers_t &r);
    void visit_tile(registers_t &r, const tile_t &tile);
    void take_sums(const tile_t &tile);
    void add_up_columns(registers_t &r, const tile_t &tile);
    void add_up_planes();
    void next_row(registers_t &r);
    void next_unit(registers_t &r);
    /// Adds a pitch to each operand.
    void advance(registers_t &r, size_t pitches, size_t post_op_pitches);
    /// Moves the operands by so many rows.
    void move(registers_t &r, const Xbyak::Reg64 &rows, bool backwards);
    bool has_mask() const;

    const channel_walk_t walk_;
    const std::vector<data_type_t> operands_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
    const int value_count_, sum_count_;
    registers_t *registers_ = nullptr; // while the kernel is written
    std::vector<vecs_t> values_, sums_;
};

} // namespace kiln::x64::normalization
