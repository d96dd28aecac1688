// SPDX-License-Identifier: Apache-2.0
// Loads of a square of 32-bit elements that transpose it.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// The elements of as many rows as a vector has lanes, loaded in pieces of four elements: memory
/// operands place a piece in a vector, so that shuffles remain for four rows alone. Takes half of
/// the shuffles that `interleave_t` takes for vectors of whole rows, with AVX2 a third.
class square_load_t {
public:
    explicit square_load_t(generator_t &g)
        : g_(g) {}

    /// result[i] = element i of each row. The rows are `stride` bytes apart, from `row` on, which
    /// moves behind them. Needs a general register and four vectors.
    vecs_t operator()(const gpr_t &row, const gpr_t &stride) const;

private:
    void load_pieces(const Xmm &to, const gpr_t &row, const gpr_t &stride, const gpr_t &three,
            int first) const;
    void transpose(const vecs_t &rows, size_t first) const;

    generator_t &g_;
};

} // namespace kiln::x64::jit
