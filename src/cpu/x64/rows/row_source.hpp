// SPDX-License-Identifier: Apache-2.0
// Where the elements of rows that go together come from: a tensor, or the sum of two as it is
// stored. It must not know what becomes of them.
#pragma once

#include <functional>
#include <optional>

#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64::normalization {

/// Rows at a fixed pitch, in bytes.
struct pitched_rows_t {
    const Xbyak::Reg64 &base;
    data_type_t type;
    dim_t pitch;
};

/// What is added to each row.
struct added_rows_t {
    pitched_rows_t src_1;
    // Where the first sweep keeps the sum for the others, in the type that it is rounded to. It may
    // be where an operand was.
    std::optional<pitched_rows_t> sum;
};

/// Rows side by side, `pitch` bytes from one to the next.
struct source_rows_t {
    int rows; // 1, 2 or 4
    const Xbyak::Reg64 &base;
    int first_row; // the first one's distance from base
    data_type_t type;
    dim_t pitch;
    bool is_streamed; // from memory
    std::optional<added_rows_t> added = {};
};

/// Writes loads of elements x = src, or src + src_1. Where something is added, loads need a vector
/// register, those of a sum in a narrow type what its conversion needs besides. Row i is the i-th
/// of those that go together; `copy` and `count` are for_each_vector()'s. Lanes beyond count are
/// +0.
class row_source_t {
public:
    row_source_t(jit::generator_t &g, const jit::row_walk_t &walk, const source_rows_t &src)
        : g_(g)
        , walk_(walk)
        , src_(src) {}

    const source_rows_t &src() const { return src_; }

    /// x of a vector in the first sweep, which keeps the sum.
    void load_first(const Xbyak::Xmm &x, int row, int copy, int count) const;
    /// The same x in later sweeps.
    void load(const Xbyak::Xmm &x, int row, int copy, int count) const;
    /// Later: the elements of a narrow sum from where they are kept, which goes on to a whole
    /// vector, to where they belong.
    void move_sum(const pitched_rows_t &to, int row, int copy, int count, jit::store_t how) const;

    // Before the first sweep:
    /// x = four elements in the lowest lanes, from the walk's column on.
    void load_four(const Xbyak::Xmm &x, int row) const;
    /// Every lane = the element of the walk's column.
    void load_broadcast(const Xbyak::Xmm &x, int row) const;

private:
    using load_t = std::function<void(const Xbyak::Xmm &, data_type_t, const Xbyak::RegExp &)>;
    using keep_t = std::function<void(const Xbyak::Xmm &elements)>;

    Xbyak::RegExp place(const pitched_rows_t &rows, int row, int copy) const;
    /// x from the operands by way of `load`; `keep` gets the sum as elements of its type, side by
    /// side.
    void fetch(const Xbyak::Xmm &x, int row, int copy, const load_t &load,
            const keep_t &keep = {}) const;
    /// x = the sum as its type holds it.
    void round(const Xbyak::Xmm &x, const keep_t &keep) const;

    jit::generator_t &g_;
    const jit::row_walk_t &walk_;
    const source_rows_t src_;
};

} // namespace kiln::x64::normalization
