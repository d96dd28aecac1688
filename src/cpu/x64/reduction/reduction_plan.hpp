// SPDX-License-Identifier: Apache-2.0
// A reduction as passes of kernels over any layouts. Where one pass does not reach all terms of a
// result, or where its terms are many, passes store partial results as floats, which further ones
// reduce.
#pragma once

#include <optional>
#include <vector>

#include "common/operations/reduction_pd.hpp"
#include "cpu/x64/operands.hpp"
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

namespace kiln::x64::reduction {

/// Calls of one kernel on rows of a plan: results go to dst, or to the partial results.
struct reduction_pass_t {
    row_reduction_spec_t spec;
    operands_t operands; // src or the partial results, dst or these, those of post-ops
    std::optional<row_plan_t> rows;
    row_offsets_t strides; // between the elements of a row
    // If the kernel makes rows: how many rows it combines, and elements from one to the next in
    // src.
    dim_t steps = 1, step_stride = 0;
    bool reads_partial = false, writes_partial = false;
};

struct reduction_plan_t {
    std::vector<reduction_pass_t> passes; // one after another
    dim_t partial_results = 0;            // floats in the scratchpad

    std::string text() const;
};

/// Works out the passes for kernels of one ISA level, and sets the scratchpad's size.
refusal_t plan_reduction(reduction_pd_t &pd, isa_t isa, reduction_plan_t &plan);

} // namespace kiln::x64::reduction
