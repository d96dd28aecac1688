// SPDX-License-Identifier: Apache-2.0
// Transposition of a matrix whose rows are vectors and whose elements, called units, are one or
// more adjacent 32-bit lanes.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// With AVX-512, takes two vectors (permutation indices) while the object exists.
class interleave_t {
public:
    /// A unit is 1, 2, 4, ... lanes, at most half a vector.
    explicit interleave_t(generator_t &g, int unit = 1);

    /// rows[i] = unit i of each row, for i < count; the other vectors are undefined. The number of
    /// rows is a power of two, at most the units of a vector. The registers are overwritten and the
    /// list is reordered. Needs two vectors (AVX-512: one).
    void transpose(std::vector<Xmm> &rows, size_t count) const;

private:
    void interleave(const Xmm &one, const Xmm &other, bool upper) const;

    generator_t &g_;
    const int unit_;
    std::optional<vec_t> lower_, upper_; // permutation indices: units of two vectors, alternating
};

} // namespace kiln::x64::jit
