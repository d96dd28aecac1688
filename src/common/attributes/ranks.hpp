// SPDX-License-Identifier: Apache-2.0
// The processes ("ranks") that a primitive combines its results with, as a stored value.
#pragma once

#include <tuple>

#include "common/types.hpp"
#include "kiln/ranks.h"

namespace kiln {

struct ranks_t : kiln_ranks_t {
    ranks_t()
        : kiln_ranks_t{1, 0, nullptr, nullptr, nullptr, nullptr} {}
    explicit ranks_t(const kiln_ranks_t &ranks)
        : kiln_ranks_t(ranks) {}

    bool is_set() const { return combined != 0; }
    /// With one rank, what it has is what all have.
    bool combines(unsigned what) const { return count > 1 && (combined & what); }

    auto fields() const { return std::tie(count, combined, context, gather, start, wait); }
};

/// What the ranks of a primitive send each other, in pairs of doubles: two for each statistic,
/// and two for each element of diff_scale or diff_shift.
struct rank_message_size_t {
    dim_t statistics = 0, weights = 0;

    bool is_empty() const { return statistics + weights == 0; }
};

} // namespace kiln
