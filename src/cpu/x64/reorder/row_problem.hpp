// SPDX-License-Identifier: Apache-2.0
// A reorder with its attributes as rows: what its kernel reads and writes, and where rows lie. It
// must not know how work is shared.
#pragma once

#include <optional>
#include <vector>

#include "common/reorder_pd.hpp"
#include "cpu/x64/reorder/row_kernel.hpp"
#include "cpu/x64/row_plan.hpp"

namespace kiln::x64::reorder {

/// A tensor as the kernel's arguments order them.
struct row_tensor_t {
    int slot;
    dim_t size;   // bytes of an element
    dim_t stride; // of neighbours in a row: 0 or 1
    dim_t bytes;  // that all of it takes
};

struct row_problem_t {
    row_spec_t spec;
    std::vector<row_tensor_t> tensors;
    std::optional<row_plan_t> plan; // of the rows

    dim_t line() const { return spec.line; }
    dim_t bytes() const;
};

refusal_t find_rows(const reorder_pd_t &pd, row_problem_t &problem);

} // namespace kiln::x64::reorder
