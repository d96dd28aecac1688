// SPDX-License-Identifier: Apache-2.0
// Reductions of the lanes of a vector to one value. Each function needs one vector.
#pragma once

#include <span>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Every lane = the sum of all lanes, in a fixed tree order.
void reduce_sum(generator_t &g, const Xmm &vec);
/// The same of integers.
void reduce_integer_sum(generator_t &g, const Xmm &vec);

/// Every lane = the product of all lanes, in the same order.
void reduce_product(generator_t &g, const Xmm &vec);

/// Every lane = the maximum or minimum of all lanes, none of which is NaN.
void reduce_max(generator_t &g, const Xmm &vec);
void reduce_min(generator_t &g, const Xmm &vec);

/// Every lane = the sum or the maximum of its group: `group` adjacent lanes of the vectors one
/// after another, from a multiple of `group` on. A group is a power of two, at most two vectors.
void reduce_sums_of_groups(generator_t &g, std::span<const vec_t> vecs, int group);
void reduce_maxima_of_groups(generator_t &g, std::span<const vec_t> vecs, int group);

/// Lane i of the first vector = the sum of all lanes of vector i, for 1, 2 or 4 vectors, which are
/// overwritten. The tree order is that of reduce_sum(), so a sum is bit-identical for any number of
/// vectors.
void reduce_sums(generator_t &g, std::span<const vec_t> vecs);

/// The same for 1 to lanes() vectors; integers or floats.
void gather_sums(generator_t &g, std::span<const Xmm> vecs, bool are_integers);

/// Lane i of the first vector = the maximum of all lanes of vector i as signed integers. This order
/// is also that of non-negative floats, with NaN as the greatest.
void reduce_integer_maxima(generator_t &g, std::span<const vec_t> vecs);

/// Lane i of the first vector = an approximate median of the lowest four lanes of vector i: the
/// minimum of the maxima of two pairs, which is neither the least nor the greatest of four
/// different values. For 1, 2 or 4 vectors, which are overwritten.
void pick_from_quarters(generator_t &g, std::span<const vec_t> vecs);

/// Broadcasts of the lowest four lanes of a vector.
class lane_broadcasts_t {
public:
    /// `are_loads`: by way of the 16 bytes below the stack pointer, which a function that calls
    /// none may use, if no vectors are kept there (kept_vecs.hpp). Loads take other ports than
    /// shuffles, and some cycles more.
    lane_broadcasts_t(generator_t &g, const Xmm &from, bool are_loads);

    /// to = the lane in every lane. Not the vector itself before the last call.
    void operator()(const Xmm &to, int lane) const;

private:
    static constexpr int bytes = 16;

    generator_t &g_;
    const Xmm from_;
    const bool are_loads_;
};

} // namespace kiln::x64::jit
