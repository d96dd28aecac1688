// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding: up with the probability that the dropped bits are of a unit.
#pragma once

#include "common/types.hpp"

namespace kiln::cpu::reference {

/// A value of f16, bf16, f8_e5m2 or f8_e4m3 next to `value`, chosen at random by the element's
/// index and the seed. The result is finite; what is below the smallest normal value becomes 0. NaN
/// stays NaN.
float round_stochastically(float value, data_type_t type, uint64_t index, uint32_t seed);

} // namespace kiln::cpu::reference
