// SPDX-License-Identifier: Apache-2.0
// Transposes vectors of 32-bit lanes: rows become columns, one after the other. It must not know
// what the lanes hold.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Keeps what AVX-512 needs for it (two vector registers) as long as it lives.
class interleave_t {
public:
    explicit interleave_t(generator_t &g);

    /// Of n rows, a power of two up to lanes(): rows[0], rows[1], ... = lane 0 of each row, lane 1
    /// of each row, ... The registers stay the same, their order does not. Needs two vector
    /// registers (AVX-512: one) while it writes its instructions.
    void transpose(std::vector<Xbyak::Xmm> &rows) const;

private:
    void interleave(const Xbyak::Xmm &one, const Xbyak::Xmm &other) const;

    generator_t &g_;
    std::optional<vec_t> lower_, upper_; // which lanes of two vectors take turns
};

} // namespace kiln::x64::jit
