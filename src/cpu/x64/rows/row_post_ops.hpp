// SPDX-License-Identifier: Apache-2.0
// Post-ops on rows that go together, as code of a kernel. It must not know what the rows are the
// result of.
#pragma once

#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64::normalization {

/// A chain whose operands' rows lie at pitches of their own. Their addresses are an array among the
/// kernel's arguments, which it moves along.
class row_post_ops_t {
public:
    /// `pitches`: from a row to the next of each operand, in bytes.
    row_post_ops_t(jit::generator_t &g, jit::lanes_io_t &io, const Xbyak::RegExp &addresses,
            const std::vector<jit::post_op_link_t> &links, const std::vector<dim_t> &pitches)
        : g_(g)
        , addresses_(addresses)
        , chain_(g, io, links)
        , operands_(jit::operands_of(links))
        , pitches_(pitches) {}

    bool empty() const { return chain_.empty(); }
    /// On vector `copy` from where the walk stands on, of a row of those that go together. Takes a
    /// general register.
    void apply(
            const jit::row_walk_t &walk, const Xbyak::Xmm &y, int row, int copy, int count) const;
    /// Asks for what apply() will read there, of operands that differ from row to row.
    void prefetch(const jit::row_walk_t &walk, int row, int copy) const;
    void next_rows(const jit::row_walk_t &walk, int rows) const;

private:
    Xbyak::Address address(int index) const;

    jit::generator_t &g_;
    const Xbyak::RegExp addresses_;
    const jit::post_op_chain_t chain_;
    const std::vector<jit::post_op_operand_t> operands_;
    const std::vector<dim_t> pitches_;
};

} // namespace kiln::x64::normalization
