// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes that a caller chooses, which may not fit into 64 bits.
#pragma once

#include "common/types.hpp"

namespace kiln {

/// Multiplies `product`; false if the result does not fit.
inline bool multiply(dim_t &product, dim_t factor) {
    return !__builtin_mul_overflow(product, factor, &product);
}

} // namespace kiln
