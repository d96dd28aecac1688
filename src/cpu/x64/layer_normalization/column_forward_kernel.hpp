// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"

namespace kiln::x64::layer_normalization {

/// For each tile of columns x of C elements:
///     find_statistics(), unless they are given
///     a walk:   y = (x - mean) / sqrt(variance + epsilon) * scale + shift,   dst = post-ops(y);
///               prefetches the next tile
/// RMS normalization has mean = 0.
///
/// Registers: for each vector of the tile mean and r = 1 / sqrt(variance + epsilon). In the walk
/// also y, scale, shift, the scales of quantization, and what post-ops take.
class column_forward_kernel_t : public column_kernel_t {
public:
    explicit column_forward_kernel_t(const forward_spec_t &spec);

private:
    using enum forward_spec_t::operand;

    void write_tile(const tile_t &tile) override;
    void write_result(const tile_statistics_t &v, jit::store_t how);
    /// A scale of quantization in every lane, if present.
    std::optional<jit::vec_t> load_scalar(size_t scalar);
    void apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile);
    /// Advances the operands of post-ops by `steps` steps, or to the next tile.
    void advance_operands(dim_t steps);
    void next_tile_of_operands(const tile_t &tile);

    const forward_spec_t spec_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
};

} // namespace kiln::x64::layer_normalization
