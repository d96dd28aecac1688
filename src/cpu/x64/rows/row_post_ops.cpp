// SPDX-License-Identifier: Apache-2.0
// Post-ops on the rows of a row block.

#include "cpu/x64/rows/row_post_ops.hpp"

namespace kiln::x64 {

void row_post_ops_t::apply(
        const row_walk_t &walk, const Xbyak::Xmm &y, int row, int copy, int count) const {
    if (empty()) return;
    const jit::gpr_t base = g_.gpr("operand of a post-op");
    chain_.apply(y, count, [&](int index) {
        const auto [type, per_lane] = operands_[static_cast<size_t>(index)];
        const dim_t offset = row * pitches_[static_cast<size_t>(index)];
        g_.assembler().mov(*base, address(index));
        return per_lane ? walk.at(*base, type, copy, offset) : *base + static_cast<int>(offset);
    });
}

void row_post_ops_t::prefetch(const row_walk_t &walk, int row, int copy) const {
    for (int i = 0; i < static_cast<int>(operands_.size()); ++i) {
        const auto [type, per_lane] = operands_[static_cast<size_t>(i)];
        const dim_t pitch = pitches_[static_cast<size_t>(i)];
        if (!per_lane || pitch == 0) continue;
        const jit::gpr_t base = g_.gpr("operand of a post-op");
        g_.assembler().mov(*base, address(i));
        g_.assembler().prefetcht0(g_.assembler().ptr[walk.at(*base, type, copy, row * pitch)]);
    }
}

void row_post_ops_t::advance(const row_walk_t &walk, int rows) const {
    for (int i = 0; i < static_cast<int>(operands_.size()); ++i) {
        const dim_t distance = rows * pitches_[static_cast<size_t>(i)];
        if (distance != 0) walk.advance(address(i), distance);
    }
}

Xbyak::Address row_post_ops_t::address(int index) const {
    return g_.assembler().qword[addresses_ + index * static_cast<int>(sizeof(void *))];
}

} // namespace kiln::x64
