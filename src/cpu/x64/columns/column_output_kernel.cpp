// SPDX-License-Identifier: Apache-2.0
// What kernels on columns share that apply scales and post-ops to their results.

#include "cpu/x64/columns/column_output_kernel.hpp"

namespace kiln::x64 {

using jit::gpr_t;
using jit::vec_t;

column_output_kernel_t::column_output_kernel_t(const kernel_spec_t &spec, const std::string &name,
        bool needs_many_registers, size_t held, size_t first_post_op, int coefficients)
    : column_kernel_t(spec, name, needs_many_registers, held, coefficients)
    , spec_(spec)
    , first_post_op_(first_post_op)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {}

std::optional<vec_t> column_output_kernel_t::load_scalar(size_t scalar) {
    if (!spec_.has(scalar)) return std::nullopt;
    std::optional<vec_t> value(vec("scale of quantization"));
    const gpr_t at = gpr("address of a scale", operand_argument(scalar));
    io_.load_broadcast(*value, spec_.type(scalar), *at);
    return value;
}

void column_output_kernel_t::apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile) {
    if (post_ops_.empty()) return;
    const gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, lanes_of(tile, i), [&](int index) {
        const jit::post_op_operand_t &read = post_op_operands_[static_cast<size_t>(index)];
        mov(*base, operand_argument(first_post_op_ + static_cast<size_t>(index)));
        return *base + (read.per_lane ? i * lanes() * size_of(read.type) : 0);
    });
}

void column_output_kernel_t::advance_operands(dim_t steps) {
    for (size_t i = first_post_op_; i < spec_.operands.size(); ++i)
        if (spec_.pitch(i) != 0) advance(operand_argument(i), steps * spec_.pitch(i));
}

void column_output_kernel_t::next_tile_of_operands(const tile_t &tile) {
    for (size_t i = 0; i < post_op_operands_.size(); ++i)
        if (const jit::post_op_operand_t &read = post_op_operands_[i]; read.per_lane)
            advance(operand_argument(first_post_op_ + i),
                    tile.vectors * lanes() * size_of(read.type));
}

} // namespace kiln::x64
