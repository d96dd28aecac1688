// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax on columns.
#pragma once

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/jit/math/exponential.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

/// Columns some of which, in the last step, are padding.
class padded_column_kernel_t : public column_kernel_t {
protected:
    padded_column_kernel_t(const column_spec_t &spec, size_t held)
        : column_kernel_t(spec, spec.name, column_spec_t::needs_many_registers, held)
        , spec_(spec) {}

    bool has_own_last_step() const override { return spec_.padding != 0; }
    /// x = 0, or -infinity, in padding. Lanes are those of vector i of a tile.
    void clear_padding(const Xmm &x, int i);
    void lower_padding(const Xmm &x, int i);
    /// Stores an element of the output, 0 in padding. x is overwritten.
    void store_result(const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how);

    const column_spec_t spec_;

private:
    /// `element` in the lanes that are elements, `padding` in the others.
    Xbyak::Address constant_by_padding(int i, uint32_t element, uint32_t padding);
};

/// The formulas of row_forward_kernel_t for each column. For each tile of columns: walk 1 finds the
/// maxima, walk 2 the sums of exponentials, walk 3 stores. column_args_t::memory has a tile of
/// floats if spec.kept is in_memory.
///
/// Registers: for each vector of the tile the maximum and the sum; the constants of exp.
class column_forward_kernel_t : public padded_column_kernel_t {
public:
    explicit column_forward_kernel_t(const column_spec_t &spec);

private:
    using operand_t = forward_spec_t;

    /// A tile of exponentials, walked from its first step to its last one.
    class kept_tile_t;

    void write_tile(const tile_t &tile) override;
    void write_tile(const tile_t &tile, store_t how);
    void find_maxima(const vecs_t &maxima, const tile_t &tile);
    void find_sums(
            const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, store_t how, kept_t kept);
    /// A sum becomes what exponentials are multiplied by, or log(sum); stores stats.
    void finish_sums(const vecs_t &sums, const vecs_t &maxima, const tile_t &tile);
    void store_results(
            const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, store_t how, kept_t kept);
};

/// The formulas of row_backward_kernel_t for each column: diff_src = dst * (diff_dst - s) with s =
/// sum(dst * diff_dst), or diff_dst - exp(dst) * s with s = sum(diff_dst). For each tile of
/// columns: walk 1 finds the sums, walk 2 stores.
///
/// Registers: for each vector of the tile the sum; dst and diff_dst of a vector; what exp takes.
class column_backward_kernel_t : public padded_column_kernel_t {
public:
    explicit column_backward_kernel_t(const column_spec_t &spec);

private:
    using operand_t = backward_spec_t;

    void write_tile(const tile_t &tile) override;
    void find_sums(const vecs_t &sums, const tile_t &tile);
    void store_results(const vecs_t &sums, const tile_t &tile, store_t how);
};

} // namespace kiln::x64::softmax
