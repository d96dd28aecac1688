// SPDX-License-Identifier: Apache-2.0
// Transposes vectors of units, of one or more 32-bit lanes each: rows become columns, one after the
// other. It must not know what the lanes hold.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Keeps what AVX-512 needs for it (two vector registers) as long as it lives.
class interleave_t {
public:
    /// A unit is 1, 2, 4, ... lanes, half a vector at most.
    explicit interleave_t(generator_t &g, int unit = 1);

    /// Of n rows, a power of two up to the units of a vector: rows[0], rows[1], ... = unit 0 of
    /// each row, unit 1 of each row, ... for the first `count` of them; the others may hold
    /// anything. The registers stay the same, their order does not. Needs two vector registers
    /// (AVX-512: one) while it writes its instructions.
    void transpose(std::vector<Xbyak::Xmm> &rows, size_t count) const;

private:
    void interleave(const Xbyak::Xmm &one, const Xbyak::Xmm &other, bool upper) const;

    generator_t &g_;
    const int unit_;
    std::optional<vec_t> lower_, upper_; // which units of two vectors take turns
};

} // namespace kiln::x64::jit
