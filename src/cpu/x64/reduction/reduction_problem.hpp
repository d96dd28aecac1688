// SPDX-License-Identifier: Apache-2.0
// A reduction as rows: what its kernel computes, reads and writes, and where the rows lie.
#pragma once

#include <optional>

#include "common/operations/reduction_pd.hpp"
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

namespace kiln::x64::reduction {

struct reduction_problem_t {
    row_reduction_spec_t spec;
    operands_t operands;
    std::optional<row_plan_t> rows;
};

/// Works out the problem for kernels of one ISA level.
refusal_t find_rows(const reduction_pd_t &pd, isa_t isa, reduction_problem_t &problem);

} // namespace kiln::x64::reduction
