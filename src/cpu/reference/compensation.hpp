// SPDX-License-Identifier: Apache-2.0
// The sums of weights that a reorder stores behind them.
#pragma once

#include "common/memory/compensation.hpp"
#include "common/primitive/primitive.hpp"

namespace kiln::cpu::reference {

/// Stores the sums of the elements of dst, a tensor of s8 that is complete. Those of padding are 0.
void store_compensation(const memory_desc_t &dst, void *data);

} // namespace kiln::cpu::reference
