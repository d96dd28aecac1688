// SPDX-License-Identifier: Apache-2.0
// What drivers of kernels on columns share: the operands as columns, how columns are cut, and calls
// of the kernel.
#pragma once

#include <algorithm>

#include "common/primitive/implementation.hpp"
#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64 {

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
    /// The same for a reduced axis that is any loop; `plan` has the others.
    columns_t(const operands_t &operands, row_plan_t plan, const row_mode_t &axis, isa_t isa,
            size_t stepped, size_t held, size_t output, bool needs_many_registers);

    const operands_t &operands() const { return operands_; }
    dim_t count() const { return plan_.rows(); }
    /// The distances between columns in each operand, in elements.
    const row_offsets_t &pitches() const { return plan_.pitches(); }
    /// Sets operands (their pitches are distances from a step to the next) and the line.
    void describe(kernel_spec_t &spec) const;
    /// Bytes of the stepped operands.
    dim_t footprint() const { return count() * column_bytes(); }

    /// "3200 columns of 49 steps in 25 tiles of at most 128, 12544 bytes".
    std::string text() const;
    dim_t tile_width() const { return tile_width_; }
    dim_t tiles() const { return count() / line_ * tiles_per_line_; }
    /// Bytes of a full tile in all stepped operands.
    dim_t tile_bytes() const { return std::min(tile_width_, line_) * column_bytes(); }

    /// Refuses layouts in which columns are not adjacent.
    refusal_t check_adjacent() const;

    /// Calls a kernel for tiles [begin, end). Buffers begin at `bases`. The output gets
    /// non-temporal stores if `non_temporal` and its steps are aligned.
    void call(const jit::executable_code_t &code, const addresses_t &bases, bool non_temporal,
            dim_t begin, dim_t end, float *weight_sums = nullptr) const;
    /// Calls a kernel for all tiles, on the threads of the runtime. `can_be_non_temporal`: the
    /// kernel has non-temporal stores; they are used if the output is given and shares no buffer.
    void call_all(const jit::executable_code_t &code, const addresses_t &bases,
            bool can_be_non_temporal) const;

private:
    dim_t column_bytes() const;
    /// The first column of a tile; for the tile past the last one, the number of columns.
    dim_t begin_of(dim_t tile) const {
        return tile / tiles_per_line_ * line_ + tile % tiles_per_line_ * tile_width_;
    }

    operands_t operands_;
    row_plan_t plan_;
    std::vector<row_operand_t> steps_;
    dim_t step_count_;
    size_t stepped_, held_, output_;
    size_t output_alignment_; // for non-temporal stores
    dim_t line_, tile_width_, tiles_per_line_;
};

} // namespace kiln::x64
