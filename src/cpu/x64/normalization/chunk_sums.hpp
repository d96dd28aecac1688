// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of the work left. It must not know who computed which.
#pragma once

#include "common/types.hpp"

namespace kiln::x64::normalization {

/// Sums of some chunks: `cols` floats each, those of neighbouring chunks `pitch` floats apart.
struct chunk_sums_t {
    const float *first;
    dim_t chunks;
    dim_t pitch;
    dim_t cols;
};

/// Stores the total of each column as an element of `type` at `to`: chunk after chunk, in doubles,
/// so that the bits depend on the chunks alone.
void store_totals(const chunk_sums_t &sums, data_type_t type, void *to);

} // namespace kiln::x64::normalization
