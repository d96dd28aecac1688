// SPDX-License-Identifier: Apache-2.0
// Post-ops on the rows of a row block, as code of a kernel.
#pragma once

#include <span>
#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/row_operands.hpp"

namespace kiln::x64 {

/// A chain of post-ops whose operands are rows at pitches. The operands' addresses stay in the
/// kernel's arguments; each use loads one to a general register.
class row_post_ops_t {
public:
    /// Operands are those of the spec from `first` on.
    row_post_ops_t(jit::generator_t &g, jit::lanes_io_t &io, const Xbyak::RegExp &arguments,
            const row_spec_t &spec, size_t first)
        : g_(g)
        , addresses_(operand_argument(arguments, first))
        , chain_(g, io, spec.post_ops)
        , operands_(jit::operands_of(spec.post_ops))
        , rows_(spec.operands.begin() + static_cast<ptrdiff_t>(first), spec.operands.end()) {}

    bool empty() const { return chain_.empty(); }
    /// Applies the chain to y, which is vector `copy` of a row of the block. Takes a general
    /// register.
    void apply(const row_walk_t &walk, const Xbyak::Xmm &y, int row, int copy, int count) const;
    /// Prefetches what apply() reads there, of the operands that differ from row to row.
    void prefetch(const row_walk_t &walk, int row, int copy) const;
    /// Advances the addresses by `rows` rows.
    void advance(const row_walk_t &walk, int rows) const;

private:
    Xbyak::Address address(size_t index) const;

    jit::generator_t &g_;
    const Xbyak::RegExp addresses_;
    const jit::post_op_chain_t chain_;
    const std::vector<jit::post_op_operand_t> operands_;
    const std::vector<row_operand_t> rows_;
};

} // namespace kiln::x64
