// SPDX-License-Identifier: Apache-2.0
// Short rows that follow each other without a gap, packed into long rows so that vectors are full.
// An operand that does not follow, such as a scale for each channel, is repeated in a copy.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64 {

struct packed_rows_t {
    dim_t rows;                 // short rows in a long one
    row_mode_t line;            // the elements of a short row
    row_offsets_t strides;      // from a short row to the next
    std::vector<size_t> copied; // the operands that do not follow
};

/// Packs the rows of one of the loops into `line`, if that pays; then both are changed. Operands
/// before `first_copied` are not copied.
std::optional<packed_rows_t> pack_rows(
        std::vector<row_mode_t> &loops, row_mode_t &line, size_t operands, size_t first_copied);

/// Merges rows of `vector` elements, which follow each other along one of the loops, into `line`.
/// Returns the operands that do not advance: every vector of the line reads the same elements of
/// them. Only operands from `first_repeated` on may be such. Where no loop fits, nothing changes,
/// and the list is empty.
std::vector<size_t> repeat_rows(std::vector<row_mode_t> &loops, row_mode_t &line, dim_t vector,
        size_t operands, size_t first_repeated);

} // namespace kiln::x64
