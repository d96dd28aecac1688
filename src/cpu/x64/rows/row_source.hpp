// SPDX-License-Identifier: Apache-2.0
// Loads of the elements of a row block, as code of a kernel: from one operand, or from the sum of
// two.
#pragma once

#include <optional>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/row_walk.hpp"

namespace kiln::x64 {

/// The second operand of a sum.
struct added_rows_t {
    jit::pitched_rows_t src_1;
    // If present, x is rounded to this type; the first sweep stores it here and the later sweeps
    // load it. It may overlap an operand row by row.
    std::optional<jit::pitched_rows_t> sum;
};

struct source_rows_t {
    int rows; // of the block: 1, 2 or 4
    jit::pitched_rows_t src;
    std::optional<added_rows_t> added = {};
};

/// Writes loads of x = src, or x = src + src_1. A sum takes a vector register, a sum of a narrow
/// type also what its conversion takes. `row` counts the rows of the block; `copy` and `count` are
/// those of jit::row_walk_t::for_each_vector(). Lanes from `count` on are +0.
class row_source_t {
public:
    row_source_t(jit::generator_t &g, const jit::row_walk_t &walk, const source_rows_t &src)
        : g_(g)
        , walk_(walk)
        , src_(src) {}

    const source_rows_t &src() const { return src_; }

    /// x of a vector in the first sweep; stores the sum if it is present.
    void load_first(const Xbyak::Xmm &x, int row, int copy, int count) const;
    /// The same x in later sweeps.
    void load(const Xbyak::Xmm &x, int row, int copy, int count) const;
    /// Copies the elements of a sum of a narrow type to `to` with non-temporal stores. The sum is
    /// present and readable up to a whole vector.
    void copy_sum(const jit::pitched_rows_t &to, int row, int copy, int count) const;

    // Before the first sweep:
    /// x = four elements in the lowest lanes, from the walk's column on.
    void load_four(const Xbyak::Xmm &x, int row) const;
    /// x = the minimum of x and of such four elements, lane by lane. `scratch` is overwritten.
    void min_of_four(const Xbyak::Xmm &x, int row, const Xbyak::Xmm &scratch) const;
    /// Every lane = the element of the walk's column.
    void load_broadcast(const Xbyak::Xmm &x, int row) const;

private:
    using load_t = function_ref_t<void(const Xbyak::Xmm &, data_type_t, const Xbyak::RegExp &)>;
    using store_sum_t = function_ref_t<void(const Xbyak::Xmm &elements)>;

    /// x from the operands by means of `load`; `store_sum` gets the packed elements of the sum.
    void fetch(const Xbyak::Xmm &x, int row, int copy, const load_t &load,
            const store_sum_t &store_sum = {}) const;
    /// x = x rounded to the type of the sum.
    void round(const Xbyak::Xmm &x, const store_sum_t &store_sum) const;

    jit::generator_t &g_;
    const jit::row_walk_t &walk_;
    const source_rows_t src_;
};

} // namespace kiln::x64
