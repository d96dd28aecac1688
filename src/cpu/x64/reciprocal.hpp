// SPDX-License-Identifier: Apache-2.0
// The reciprocal of a number that many are divided by.
#pragma once

#include "common/types.hpp"

namespace kiln::x64 {

/// 1 / divisor = high + low, where high is the next float towards 0: both have its sign, so that
/// infinities stay what they are. x * high + x * low, with the second product rounded, is x /
/// divisor as a division rounds it, but for about 3 in 10^8 quotients, which are next to it; all
/// are equal if the divisor is a power of two. The divisor and its reciprocal are normal numbers:
/// if not, `high` is 1 / divisor and `low` 0.
struct reciprocal_t {
    float high = 0, low = 0;

    reciprocal_t() = default;
    explicit reciprocal_t(float divisor);
    /// Of one element.
    reciprocal_t(const void *divisor, data_type_t type);
};

} // namespace kiln::x64
