// SPDX-License-Identifier: Apache-2.0
// Division of many vectors by the same numbers.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// x = x * high + x * low, where high and low are a reciprocal_t. Takes a vector.
void multiply_by_reciprocal(generator_t &g, const Xmm &x, const Xmm &high, const Xmm &low);

/// The reciprocal_t of the divisor of each lane, in two vectors.
struct divisor_t {
    /// `divisor` and its reciprocals are normal numbers.
    divisor_t(generator_t &g, const Xmm &divisor);

    /// x = x / divisor, as reciprocal_t says. Takes a vector.
    void divide(const Xmm &x) const;

    generator_t &g;
    vec_t high, low;
};

} // namespace kiln::x64::jit
