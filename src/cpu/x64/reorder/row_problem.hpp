// SPDX-License-Identifier: Apache-2.0
// A reorder with its attributes as rows: what its kernel reads and writes, and where rows lie. It
// must not know how work is shared.
#pragma once

#include <optional>
#include <vector>

#include "common/operations/reorder_pd.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/reorder/row_kernel.hpp"

namespace kiln::x64::reorder {

/// A tensor as the kernel's arguments order them.
struct row_tensor_t {
    int slot;
    dim_t size;   // bytes of an element
    dim_t stride; // of neighbours in a row: 0 or 1
    dim_t bytes;  // that all of it takes
    /// Where its copy lies in the scratchpad, which the kernel reads instead; -1 for none.
    dim_t copy = -1;
};

/// How a tensor is copied for rows that are put together.
struct row_copy_t {
    size_t tensor;
    row_spec_t spec;
    dim_t rows;
    dim_t offset; // of the first element
    dim_t pitch;  // from a row to the next, in bytes
};

struct row_problem_t {
    row_spec_t spec;
    std::vector<row_tensor_t> tensors;
    std::optional<row_plan_t> plan; // of the rows
    std::vector<row_copy_t> copies;
    dim_t scratchpad_size = 0;

    dim_t line() const { return spec.line; }
    dim_t bytes() const;
};

refusal_t find_rows(const reorder_pd_t &pd, row_problem_t &problem);

} // namespace kiln::x64::reorder
