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

/// Columns cut into tiles of one width, anew in each line: the last tile of a line may be narrower.
class column_tiles_t {
public:
    column_tiles_t(const row_plan_t &columns, dim_t width)
        : line_(columns.run_length())
        , width_(width)
        , lines_(columns.rows() / line_)
        , tiles_per_line_((line_ + width - 1) / width) {}

    dim_t count() const { return lines_ * tiles_per_line_; }
    /// The first column of a tile; for the tile past the last one, the number of columns.
    dim_t begin_of(dim_t tile) const {
        return tile / tiles_per_line_ * line_ + tile % tiles_per_line_ * width_;
    }
    /// Columns of a full tile.
    dim_t width() const { return std::min(width_, line_); }

private:
    dim_t line_, width_, lines_, tiles_per_line_;
};

/// Operands planned as columns along `axis`, their last one, which is reduced. A row_plan_t over
/// the other axes serves: a run of rows at a pitch of one element is a line of adjacent columns.
class columns_t {
public:
    /// The first `stepped` operands have elements for each step, those after them up to `held` one
    /// element for each column, if present. `output` is one of the stepped ones.
    columns_t(const operand_layouts_t &layouts, int axis, size_t stepped, size_t held,
            size_t output);

    const operands_t &operands() const { return operands_; }
    const row_plan_t &plan() const { return plan_; }
    /// For the spec: types, and distances from a step to the next.
    const std::vector<row_operand_t> &steps() const { return steps_; }
    /// Bytes of the stepped operands.
    dim_t footprint() const { return plan_.rows() * column_bytes(); }
    /// Bytes of a column in all stepped operands.
    dim_t column_bytes() const;

    /// Refuses layouts in which columns are not adjacent.
    refusal_t check_adjacent() const;

    /// Calls a kernel for columns [begin, end), which begin and end with tiles. Buffers begin at
    /// `bases`. The output gets non-temporal stores if `non_temporal` and its steps are aligned.
    void call(const jit::executable_code_t &code, isa_t isa, const addresses_t &bases,
            bool non_temporal, dim_t begin, dim_t end, float *weight_sums = nullptr) const;

private:
    operands_t operands_;
    row_plan_t plan_;
    std::vector<row_operand_t> steps_;
    dim_t step_count_;
    size_t stepped_, held_, output_;
};

} // namespace kiln::x64
