// SPDX-License-Identifier: Apache-2.0
// Adds up the partial sums of chunks, column by column.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64 {

/// Partial sums: chunk i has those of all columns at first + i * pitch.
struct chunk_sums_t {
    const float *first;
    dim_t chunks;
    dim_t pitch; // in floats
};

/// A generated function for `cols` columns and totals of `type`:
///     totals[col] = sum over i of first[i * pitch + col]
class chunk_totals_t {
public:
    chunk_totals_t(isa_t isa, dim_t cols, data_type_t type);

    /// Stores the total of each column at `totals`. The sums are added in the order of the chunks,
    /// in double: the result depends on the chunks alone.
    void store(const chunk_sums_t &sums, void *totals) const;

private:
    const jit::executable_code_t code_;
};

} // namespace kiln::x64
