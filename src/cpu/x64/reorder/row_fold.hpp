// SPDX-License-Identifier: Apache-2.0
// Short rows that follow each other without a gap as one long row: what does not follow, such as a
// scale for each channel, is repeated in a copy first. Pure arithmetic on loops.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::reorder {

struct row_fold_t {
    dim_t rows;                 // that make a long one
    row_mode_t line;            // as it was
    row_offsets_t strides;      // from a row to the next
    std::vector<size_t> copied; // the tensors that do not follow
};

/// Folds `line` and one of the loops, if that pays; both are changed then. The tensors before
/// `first_copied` are not copied.
std::optional<row_fold_t> fold_rows(
        std::vector<row_mode_t> &loops, row_mode_t &line, size_t tensors, size_t first_copied);

} // namespace kiln::x64::reorder
