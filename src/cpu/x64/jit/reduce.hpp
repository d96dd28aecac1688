// SPDX-License-Identifier: Apache-2.0
// Folds vectors into one value each. Each word needs one vector register while it writes its
// instructions. It must not know where the vectors come from.
#pragma once

#include <span>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Every lane = the sum of all lanes, in a fixed tree order.
void reduce_sum(generator_t &g, const Xbyak::Xmm &vec);

/// Every lane = the greatest or the least of all lanes, none of which is NaN.
void reduce_max(generator_t &g, const Xbyak::Xmm &vec);
void reduce_min(generator_t &g, const Xbyak::Xmm &vec);

/// Lane i of the first vector = the sum of all lanes of vector i, for 1, 2 or 4 vectors, which are
/// overwritten. The tree order is reduce_sum()'s, so that a sum has the same bits in whatever
/// company it is made.
void reduce_sums(generator_t &g, std::span<const vec_t> vecs);

/// The same for the greatest of all lanes as signed integers, by which floats without a sign are in
/// order, too, NaN above all.
void reduce_integer_maxima(generator_t &g, std::span<const vec_t> vecs);

/// Lane i of the first vector = an element of the lowest four lanes of vector i that is neither the
/// least nor the greatest: the greater one of each pair, then the lesser one of those. For 1, 2 or
/// 4 vectors, which are overwritten.
void pick_from_quarters(generator_t &g, std::span<const vec_t> vecs);

/// to = lane `lane` (0 to 3) of `from` in every lane. May be the same register.
void broadcast_lane(generator_t &g, const Xbyak::Xmm &to, const Xbyak::Xmm &from, int lane);

} // namespace kiln::x64::jit
