// SPDX-License-Identifier: Apache-2.0
// A reduction as rows: what its kernel reads and writes, and where rows lie. It must not know how
// work is shared.
#pragma once

#include <optional>
#include <vector>

#include "common/operations/reduction_pd.hpp"
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

namespace kiln::x64::reduction {

/// A tensor as the kernel's arguments order them.
struct row_tensor_t {
    int slot;
    dim_t size; // bytes of an element
};

struct reduction_problem_t {
    row_reduction_spec_t spec;
    std::vector<row_tensor_t> tensors;
    std::optional<row_plan_t> plan; // of the rows
};

refusal_t find_rows(const reduction_pd_t &pd, reduction_problem_t &problem);

} // namespace kiln::x64::reduction
