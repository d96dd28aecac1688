// SPDX-License-Identifier: Apache-2.0
// Post-ops on the rows of a row block.

#include "cpu/x64/rows/row_post_ops.hpp"

namespace kiln::x64 {

void row_post_ops_t::apply(
        const row_walk_t &walk, const Xbyak::Xmm &y, int row, int copy, int count) const {
    if (empty()) return;
    const jit::gpr_t base = g_.gpr("operand of a post-op");
    chain_.apply(y, count, [&](int operand) {
        const auto index = static_cast<size_t>(operand);
        const pitched_rows_t rows{*base, rows_[index].type, rows_[index].pitch};
        g_.assembler().mov(*base, address(index));
        return operands_[index].per_lane ? walk.at(rows, row, copy)
                                         : *base + static_cast<int>(row * rows.pitch);
    });
}

void row_post_ops_t::prefetch(const row_walk_t &walk, int row, int copy) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
        if (!operands_[i].per_lane || rows_[i].pitch == 0) continue;
        const jit::gpr_t base = g_.gpr("operand of a post-op");
        g_.assembler().mov(*base, address(i));
        g_.assembler().prefetcht0(g_.assembler().ptr[walk.at(
                pitched_rows_t{*base, rows_[i].type, rows_[i].pitch}, row, copy)]);
    }
}

void row_post_ops_t::advance(const row_walk_t &walk, int rows) const {
    for (size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].pitch != 0) walk.advance(address(i), rows * rows_[i].pitch);
}

Xbyak::Address row_post_ops_t::address(size_t index) const {
    return g_.assembler().qword[addresses_ + index * sizeof(void *)];
}

} // namespace kiln::x64
