// SPDX-License-Identifier: Apache-2.0
// Normalizes the elements of channels whose statistics are known.

#include "cpu/x64/channel_normalization/channel_forward_kernel.hpp"

#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::channel_normalization {

using namespace forward_operand;

std::string channel_forward_spec_t::name() const {
    return jit::kernel_name(std::string("channel_forward_") + name_of(walk.rows),
            {operands[src].type, operands[dst].type}, walk.isa);
}

channel_forward_kernel_t::channel_forward_kernel_t(const channel_forward_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), spec.operands,
            spec.has_divisor ? value_count : value_count - 1, 0, true,
            jit::operands_of(spec.post_ops))
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops) {}

void channel_forward_kernel_t::visit(const tile_t &tile) {
    const jit::vec_t y = vec("y");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        io_.load(y, type_of(src), at(src, i), count);
        vsubps(*y, *y, value(mean, i));
        vfmadd213ps(*y, value(factor, i), value(shift, i));
        if (has(src_1)) {
            const jit::vec_t other = vec("src_1");
            io_.load(other, type_of(src_1), at(src_1, i), count);
            vaddps(*y, *y, *other);
        }
        if (spec_.has_relu) apply_relu(y, i, count);
        apply_post_ops(y, i, count);
        if (spec_.has_divisor) vdivps(*y, *y, value(divisor, i));
        const bool is_bypassing = spec_.is_non_temporal && count == lanes();
        io_.store(y, type_of(dst), at(dst, i), count,
                is_bypassing ? jit::store_t::non_temporal : jit::store_t::ordinary);
    }
}

void channel_forward_kernel_t::apply_post_ops(const Xbyak::Xmm &y, int i, int count) {
    if (post_ops_.empty()) return;
    const jit::gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, count, [&](int index) { return post_op_operand_at(index, i, base); });
}

void channel_forward_kernel_t::apply_relu(const Xbyak::Xmm &y, int i, int count) {
    const jit::vec_t zero = vec("0");
    set_zero(zero);
    // "Not <= 0", so that the ReLU passes NaN.
    const jit::lane_condition_t passes(*this, y, jit::comparison_t::not_le, *zero);
    passes.keep(y);
    if (has(relu_mask)) passes.store_bits(at(relu_mask, i), count);
}

} // namespace kiln::x64::channel_normalization
