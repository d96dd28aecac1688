// SPDX-License-Identifier: Apache-2.0
// What kernels on columns share that apply scales and post-ops to their results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/columns/column_kernel.hpp"

namespace kiln::x64 {

class column_output_kernel_t : public column_kernel_t {
protected:
    /// The operands of post-ops are those of the spec from `first_post_op` on.
    column_output_kernel_t(const kernel_spec_t &spec, const std::string &name,
            bool needs_many_registers, size_t held, size_t first_post_op, int coefficients = 0);

    /// A scale of quantization in every lane, if present.
    std::optional<jit::vec_t> load_scalar(size_t scalar);
    /// Applies the post-ops to y, vector i of a tile, at the current step.
    void apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile);
    /// Advances the operands of post-ops by `steps` steps, or to the next tile.
    void advance_operands(dim_t steps);
    void next_tile_of_operands(const tile_t &tile);

private:
    const kernel_spec_t spec_;
    const size_t first_post_op_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
};

} // namespace kiln::x64
