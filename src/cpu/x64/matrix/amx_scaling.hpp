// SPDX-License-Identifier: Apache-2.0
// How an epilogue begins: scales and a bias that all rows share become one multiply-add.
#pragma once

#include <cstddef>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64::matrix {

/// The first links of an epilogue, which multiply and divide by scales and may add a bias:
///
///     (x * values of a row) * factors + addends
///
/// What all rows share is computed once for the columns of a tile: `factors` from the scales before
/// and behind the bias, `addends` from the bias and the scales behind it.
struct amx_scaling_t {
    /// `pitches`: bytes from row to row of each operand, 0 if rows share it.
    amx_scaling_t(
            const std::vector<jit::post_op_link_t> &epilogue, const std::vector<dim_t> &pitches);

    bool has_factors() const { return !factors.empty(); }
    bool has_addends() const { return addition < end; }
    /// Whether what rows share has the operand of this index.
    bool has_operand(size_t index) const { return index < is_shared.size() && is_shared[index]; }
    /// Whether the link multiplies by values of a row.
    bool is_of_row(size_t link) const;

    size_t end = 0;              // the first link behind them
    std::vector<size_t> factors; // links that multiply, or divide, by what rows share
    size_t addition = SIZE_MAX;  // the link that adds the bias
    std::vector<bool> is_shared; // by operand
};

} // namespace kiln::x64::matrix
