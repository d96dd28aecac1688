// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.
#pragma once

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"

namespace kiln::x64::layer_normalization {

/// For each tile of columns x of C elements:
///     find_statistics(), unless they are given
///     a walk:   y = xhat * scale + shift,   dst = post-ops(y);   xhat as load_normalized() has it;
///               prefetches the next tile
/// RMS normalization has mean = 0.
///
/// Registers: for each vector of the tile tile_statistics_t. In the walk also y, scale, shift, the
/// scales of quantization, and what post-ops take.
class column_forward_kernel_t : public column_kernel_t {
public:
    explicit column_forward_kernel_t(const forward_spec_t &spec);

private:
    using enum forward_spec_t::operand;

    void write_tile(const tile_t &tile) override;
    void write_result(const tile_statistics_t &v, jit::store_t how);

    const forward_spec_t spec_;
};

} // namespace kiln::x64::layer_normalization
