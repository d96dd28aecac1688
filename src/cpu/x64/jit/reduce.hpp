// SPDX-License-Identifier: Apache-2.0
// Folds a vector into one value. Each word needs one vector register while it writes its
// instructions. It must not know where the vector comes from.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Every lane = the sum of all lanes, in a fixed tree order.
void reduce_sum(generator_t &g, const Xbyak::Xmm &vec);

/// Every lane = the largest of all lanes. Without NaN: what becomes of one is not defined.
void reduce_max(generator_t &g, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
