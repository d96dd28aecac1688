// SPDX-License-Identifier: Apache-2.0
// Post-ops on the rows of a row block, as code of a kernel.
#pragma once

#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64 {

/// A chain of post-ops whose operands are rows at pitches. The operands' addresses are an array in
/// the kernel's argument block; the kernel advances them there.
class row_post_ops_t {
public:
    /// `addresses`: where the array begins. `pitches`: bytes from a row to the next, by operand.
    row_post_ops_t(jit::generator_t &g, jit::lanes_io_t &io, const Xbyak::RegExp &addresses,
            const std::vector<jit::post_op_link_t> &links, const std::vector<dim_t> &pitches)
        : g_(g)
        , addresses_(addresses)
        , chain_(g, io, links)
        , operands_(jit::operands_of(links))
        , pitches_(pitches) {}

    bool empty() const { return chain_.empty(); }
    /// Applies the chain to y, which is vector `copy` of a row of the block. Takes a general
    /// register.
    void apply(const row_walk_t &walk, const Xbyak::Xmm &y, int row, int copy, int count) const;
    /// Prefetches what apply() reads there, of the operands that differ from row to row.
    void prefetch(const row_walk_t &walk, int row, int copy) const;
    /// Advances the addresses by `rows` rows.
    void advance(const row_walk_t &walk, int rows) const;

private:
    Xbyak::Address address(int index) const;

    jit::generator_t &g_;
    const Xbyak::RegExp addresses_;
    const jit::post_op_chain_t chain_;
    const std::vector<jit::post_op_operand_t> operands_;
    const std::vector<dim_t> pitches_;
};

} // namespace kiln::x64
