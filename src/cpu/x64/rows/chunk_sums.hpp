// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of the work left. It must not know who computed which.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/executable_code.hpp"

namespace kiln::x64::normalization {

/// Sums of some chunks, those of neighbouring chunks `pitch` floats apart.
struct chunk_sums_t {
    const float *first;
    dim_t chunks;
    dim_t pitch;
};

/// A generated function for `cols` sums a chunk and totals of `type`.
class chunk_totals_t {
public:
    chunk_totals_t(isa_t isa, dim_t cols, data_type_t type);

    /// Stores the total of each column at `to`: chunk after chunk, in doubles, so that the bits
    /// depend on the chunks alone.
    void store(const chunk_sums_t &sums, void *to) const;

private:
    const jit::executable_code_t code_;
};

} // namespace kiln::x64::normalization
