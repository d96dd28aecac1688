// SPDX-License-Identifier: Apache-2.0
// Loops of a kernel over the vectors of one or several rows.
#pragma once

#include <array>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::jit {

/// Rows of one operand inside a kernel.
struct pitched_rows_t {
    Xbyak::RegExp base; // address of the first row
    data_type_t type;
    dim_t pitch; // bytes from a row to the next
};

/// Writes loops over the vectors of a row. A general register holds the current column; `copy`
/// counts vectors from it on.
class row_walk_t {
public:
    /// Prepares `io` for the partial vector at the end of a row and takes the column's register.
    /// `copies`: of the body of a loop.
    row_walk_t(generator_t &g, lanes_io_t &io, dim_t cols, int copies = 4);
    row_walk_t(const row_walk_t &) = delete;
    ~row_walk_t() { io_.release(); }

    dim_t cols() const { return cols_; }

    /// Writes a loop that runs `body` for each vector of a row; `count` lanes of it are used.
    void for_each_vector(const function_ref_t<void(int copy, int count)> &body) const;

    /// Makes `col` the current column. for_each_vector() starts at column 0.
    void go_to(dim_t col) const;

    /// The address of vector `copy` of the row that starts `offset` bytes after `base`.
    Xbyak::RegExp at(const Xbyak::RegExp &base, data_type_t type, int copy, dim_t offset = 0) const;
    /// The same in row number `row` of an operand.
    Xbyak::RegExp at(const pitched_rows_t &rows, int row, int copy) const {
        return at(rows.base, rows.type, copy, row * rows.pitch);
    }

    /// address += bytes. `address` is a register or a quad word in memory. Overwrites the column's
    /// register if `bytes` needs more than 32 bits.
    void advance(const Xbyak::Operand &address, dim_t bytes) const;

    lanes_io_t &io() const { return io_; }

private:
    generator_t &g_;
    lanes_io_t &io_;
    const dim_t cols_;
    const int copies_;
    const int last_count_; // lanes used of a row's last vector
    const gpr_t col_;
    // The address of the current column, by base register and half the element's size. Kernels
    // use few of these addresses, many times each.
    mutable std::array<std::array<Xbyak::RegExp, 5>, 16> current_;
};

} // namespace kiln::x64::jit
