// SPDX-License-Identifier: Apache-2.0
// A reorder with its attributes as rows: what its kernel computes, reads and writes, and where the
// rows lie.
#pragma once

#include <optional>
#include <vector>

#include "common/operations/reorder_pd.hpp"
#include "cpu/x64/reorder/row_reorder_kernel.hpp"

namespace kiln::x64::reorder {

/// How an operand is copied to the scratchpad, as floats, for rows that are packed. The kernel
/// reads the copy.
struct row_copy_t {
    size_t operand;
    row_reorder_spec_t spec;
    dim_t rows;
    dim_t pitch;  // bytes from a row to the next in the operand
    dim_t offset; // bytes from where its buffer begins
    dim_t place;  // of the copy in the scratchpad, in bytes
};

struct row_problem_t {
    row_reorder_spec_t spec;
    operands_t operands;
    std::optional<row_plan_t> rows;
    row_offsets_t strides; // between the elements of a row: 0 or 1
    std::vector<row_copy_t> copies;
    dim_t scratchpad_size = 0;
    dim_t bytes; // of all operands
};

/// Works out the problem for kernels of one ISA level.
refusal_t find_rows(const reorder_pd_t &pd, isa_t isa, row_problem_t &problem);

} // namespace kiln::x64::reorder
