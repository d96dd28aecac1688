// SPDX-License-Identifier: Apache-2.0
// Elements of half a byte: s4, u4, f4_e2m1, f4_e3m0. The element of even index lies in the low half
// of its byte.
#pragma once

#include "common/types.hpp"

namespace kiln::cpu::reference {

/// Exact.
double load_half_byte(data_type_t type, const void *base, dim_t index);

/// Rounds to the nearest value of the type and saturates. Ties go to the even code; for f4_e3m0,
/// whose codes are powers of two, away from zero except from 0.125 to 0. NaN becomes 0 in integers
/// and the largest magnitude in floating-point types, as infinities do. Other threads may store the
/// other half of the byte at the same time.
void store_half_byte(data_type_t type, double value, void *base, dim_t index);

} // namespace kiln::cpu::reference
