// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax backward on columns.
#pragma once

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

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
    void store_results(const vecs_t &sums, const tile_t &tile, jit::store_t how);

    const column_spec_t spec_;
};

} // namespace kiln::x64::softmax
