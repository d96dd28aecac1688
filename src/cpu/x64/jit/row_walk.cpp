// SPDX-License-Identifier: Apache-2.0
// Loops of a kernel over the vectors of rows.

#include "cpu/x64/jit/row_walk.hpp"

#include <cassert>

#include "common/memory/data_type.hpp"

namespace kiln::x64::jit {

row_walk_t::row_walk_t(generator_t &g, lanes_io_t &io, dim_t cols, int copies)
    : g_(g)
    , io_(io)
    , cols_(cols)
    , copies_(copies)
    , last_count_(static_cast<int>((cols - 1) % g.lanes() + 1))
    , col_(g.gpr("column")) {
    if (last_count_ != g.lanes()) io_.prepare_tail(last_count_);
}

void row_walk_t::for_each_vector(const function_ref_t<void(int copy, int count)> &body) const {
    const dim_t full = cols_ / g_.lanes();
    const bool has_partial = last_count_ != g_.lanes();
    go_to(0);
    g_.repeat(
            full, copies_, [&](int copy) { body(copy, g_.lanes()); },
            [&](int vectors) { g_.add(*col_, vectors * g_.lanes()); });
    if (has_partial) body(0, last_count_);
}

void row_walk_t::go_to(dim_t col) const {
    if (col == 0)
        g_.xor_(*col_, *col_);
    else
        g_.mov(*col_, col);
}

Xbyak::RegExp row_walk_t::at(
        const Xbyak::RegExp &base, data_type_t type, int copy, dim_t offset) const {
    const size_t size = data_type_size(type);
    assert(offset == static_cast<int32_t>(offset) && base.getIndex().isNone());
    Xbyak::RegExp &first = current_[static_cast<size_t>(base.getBase().getIdx())][size / 2];
    if (first == Xbyak::RegExp()) first = base.getBase() + *col_ * static_cast<int>(size);
    const auto vector = static_cast<dim_t>(size) * copy * g_.lanes();
    return first + (base.getDisp() + static_cast<size_t>(offset + vector));
}

void row_walk_t::advance(const Xbyak::Operand &address, dim_t bytes) const {
    if (bytes == static_cast<int32_t>(bytes)) return g_.add(address, static_cast<uint32_t>(bytes));
    g_.mov(*col_, bytes);
    g_.add(address, *col_);
}

} // namespace kiln::x64::jit
