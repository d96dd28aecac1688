// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax on columns.
#pragma once

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/jit/exponential.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

/// The formulas of row_forward_kernel_t for each column. For each tile of columns: walk 1 finds the
/// maxima, walk 2 the sums of exponentials, walk 3 stores. The exponentials of walk 2 stay in dst
/// where it is of f32 and in the cache (ordinary stores); otherwise walk 3 computes them again.
///
/// Registers: for each vector of the tile the maximum and the sum; the constants of exp.
class column_forward_kernel_t : public column_kernel_t {
public:
    explicit column_forward_kernel_t(const column_spec_t &spec);

private:
    using operand_t = forward_spec_t;

    void write_tile(const tile_t &tile) override;
    void write_tile(const tile_t &tile, store_t how);
    void find_maxima(const vecs_t &maxima, const tile_t &tile);
    void find_sums(
            const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, bool keeps_exponentials);
    /// A sum becomes what exponentials are multiplied by, or log(sum); stores stats.
    void finish_sums(const vecs_t &sums, const vecs_t &maxima, const tile_t &tile);
    void store_results(const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, store_t how,
            bool has_exponentials);

    const column_spec_t spec_;
};

/// The formulas of row_backward_kernel_t for each column: diff_src = dst * (diff_dst - s) with s =
/// sum(dst * diff_dst), or diff_dst - exp(dst) * s with s = sum(diff_dst). For each tile of
/// columns: walk 1 finds the sums, walk 2 stores.
///
/// Registers: for each vector of the tile the sum; dst and diff_dst of a vector; what exp takes.
class column_backward_kernel_t : public column_kernel_t {
public:
    explicit column_backward_kernel_t(const column_spec_t &spec);

private:
    using operand_t = backward_spec_t;

    void write_tile(const tile_t &tile) override;
    void find_sums(const vecs_t &sums, const tile_t &tile);
    void store_results(const vecs_t &sums, const tile_t &tile, store_t how);

    const column_spec_t spec_;
};

} // namespace kiln::x64::softmax
