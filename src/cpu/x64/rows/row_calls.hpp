// SPDX-License-Identifier: Apache-2.0
// Calls of a kernel on runs of rows.
#pragma once

#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/rows/row_operands.hpp"

namespace kiln::x64 {

/// Calls a kernel for each run of rows [begin, end). The operands' buffers begin at `bases`.
inline void call_for_each_run(const jit::executable_code_t &code, const operands_t &operands,
        const row_plan_t &rows, const addresses_t &bases, dim_t begin, dim_t end,
        std::byte *scratch = nullptr) {
    const auto kernel = code.entry<void (*)(row_args_t *)>();
    rows.for_each_run(begin, end, [&](const row_run_t &run) {
        row_args_t args;
        operands.locate(bases, run.offsets, args.operands);
        args.rows = run.count;
        args.scratch = scratch;
        kernel(&args);
    });
}

} // namespace kiln::x64
