// SPDX-License-Identifier: Apache-2.0
// How a kernel goes along rows: vector by vector, several rows side by side. It must not know what
// is done to them.
#pragma once

#include <functional>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::jit {

/// Writes loops over the vectors of a row. `copy` counts the vectors from the current column on.
class row_walk_t {
public:
    static constexpr int loop_copies = 4;

    /// Sets up the partial last vector in `io` and takes a register for the current column.
    row_walk_t(generator_t &g, lanes_io_t &io, dim_t cols);
    row_walk_t(const row_walk_t &) = delete;
    ~row_walk_t() { io_.release(); }

    dim_t cols() const { return cols_; }

    /// Writes `body` for the vectors of a row, each of `count` lanes.
    void for_each_vector(const std::function<void(int copy, int count)> &body) const;

    /// Makes `col` the current column, which for_each_vector() begins from 0.
    void go_to(dim_t col) const;

    /// Where vector `copy` lies, `offset` bytes behind the row that begins at `base`.
    Xbyak::RegExp at(const Xbyak::Reg64 &base, data_type_t type, int copy, dim_t offset = 0) const;

    /// address += bytes, by way of the column's register where they need 64 bits. `address` is a
    /// register or a quad word in memory.
    void advance(const Xbyak::Operand &address, dim_t bytes) const;

    lanes_io_t &io() const { return io_; }

private:
    generator_t &g_;
    lanes_io_t &io_;
    const dim_t cols_;
    const int last_count_;
    const gpr_t col_;
};

} // namespace kiln::x64::jit
