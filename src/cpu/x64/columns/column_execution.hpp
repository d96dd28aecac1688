// SPDX-License-Identifier: Apache-2.0
// What drivers of kernels on columns share: the operands as columns, how columns are cut, and calls
// of the kernel.
#pragma once

#include <algorithm>

#include "common/primitive/implementation.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64 {

/// How columns lie: those of one element of the reduced axes in runs of adjacent ones, and the
/// distances between these elements.
struct column_loops_t {
    row_plan_t lines; // over columns, or over blocks of them
    row_mode_t steps;
    row_mode_t outer_steps = {1, {}}; // around the steps
    dim_t block = 0;                  // adjacent columns; 0: all of a line
    dim_t tile_blocks = 1;            // of a tile at most
    bool is_paged = false;            // steps are whole pages apart, and the kernel knows parts
    dim_t line = 0;                   // columns of a line in blocks
    // The same steps so many times, for tiles of their own: where nothing is summed.
    row_mode_t parts = {1, {}};
};

/// The memory of the tasks of a call, one after the other. Kernels find that of their task in
/// column_args_t::memory.
struct task_memory_t {
    std::byte *begin = nullptr;
    size_t task_bytes = 0; // 0: tasks have none
    dim_t tasks = 0;       // at most
};

/// Operands planned as columns along `axis`, their last one, which is reduced. A row_plan_t over
/// the other axes serves: a run of rows at a pitch of one element is a line of adjacent columns.
/// Lines are cut into tiles of one width; the last tile of a line may be narrower.
class columns_t {
public:
    /// The first `stepped` operands have elements for each step, those after them up to `held` one
    /// element for each column, if present. `output` is one of the stepped ones.
    /// `needs_many_registers` is what the kernel passes to its base.
    columns_t(const operand_layouts_t &layouts, isa_t isa, int axis, size_t stepped, size_t held,
            size_t output, bool needs_many_registers);
    /// The same for any loops. If columns lie in blocks, they are one line.
    columns_t(const operands_t &operands, const column_loops_t &loops, isa_t isa, size_t stepped,
            size_t held, size_t output, bool needs_many_registers);

    const operands_t &operands() const { return operands_; }
    dim_t count() const { return block_ == 0 ? plan_.rows() : line_; }
    /// Sets operands (their pitches are distances from a step to the next), loops and the line.
    void describe(kernel_spec_t &spec) const;
    /// Bytes of the stepped operands.
    dim_t footprint() const { return parts_.extent * count() * column_bytes(); }
    /// Of a column in a tile.
    dim_t steps() const { return inner_steps_.extent * outer_steps_.extent; }

    /// "3200 columns of 49 steps in 25 tiles of at most 128, 12544 bytes".
    std::string text() const;
    dim_t tile_width() const { return tile_width_; }
    dim_t tiles() const { return parts_.extent * (count() / line_ * tiles_per_line_); }
    /// Bytes of a full tile in all stepped operands.
    dim_t tile_bytes() const { return std::min(tile_width_, line_) * column_bytes(); }
    /// The same for a part of a tile.
    dim_t part_bytes() const { return std::min(part_width_, line_) * column_bytes(); }

    /// Whether the vectors of a line, of which the last one may be partial, fill its blocks.
    bool fills_blocks() const;

    /// Refuses layouts in which columns are not adjacent.
    refusal_t check_adjacent() const;

    /// Calls a kernel for tiles [begin, end). Buffers begin at `bases`. The output gets
    /// non-temporal stores if `non_temporal` and its steps are aligned.
    void call(const jit::executable_code_t &code, const addresses_t &bases, bool non_temporal,
            dim_t begin, dim_t end, float *memory = nullptr) const;
    /// Calls a kernel for all tiles, on the threads of the runtime. `can_be_non_temporal`: the
    /// kernel has non-temporal stores; they are used if the output is given and shares no buffer.
    void call_all(const jit::executable_code_t &code, const addresses_t &bases,
            bool can_be_non_temporal, const task_memory_t &memory = {}) const;
    /// How call_all() shares the tiles among tasks.
    cpu::shares_t shares() const;
    /// Whether the steps of an aligned output are aligned for non-temporal stores.
    bool steps_are_aligned() const { return keeps_alignment(nullptr); }

private:
    dim_t column_bytes() const;
    /// Whether non-temporal stores of an output that begins there are aligned.
    bool keeps_alignment(const void *output) const;
    /// The first column of a tile; for the tile past the last one, the number of columns.
    dim_t begin_of(dim_t tile) const {
        return tile / tiles_per_line_ * line_ + tile % tiles_per_line_ * tile_width_;
    }

    operands_t operands_;
    row_plan_t plan_;
    std::vector<row_operand_t> steps_;
    row_mode_t inner_steps_, outer_steps_, parts_;
    size_t stepped_, held_, output_;
    size_t output_alignment_; // for non-temporal stores
    int lanes_;
    dim_t line_, block_, tile_blocks_;
    bool is_paged_;
    dim_t part_width_, tile_width_, tiles_per_line_;
};

} // namespace kiln::x64
