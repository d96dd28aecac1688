// SPDX-License-Identifier: Apache-2.0
// Gradients of the elements of channels whose statistics and sums are known.

#include "cpu/x64/channel_normalization/channel_backward_kernel.hpp"

#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::channel_normalization {

using namespace backward_operand;

std::string channel_backward_spec_t::name() const {
    const channel_operand_t &output =
            operands[operands[diff_src].is_present() ? diff_src : diff_src_1];
    return jit::kernel_name(std::string("channel_backward_") + name_of(walk.rows),
            {operands[diff_dst].type, output.type}, walk.isa);
}

channel_backward_kernel_t::channel_backward_kernel_t(const channel_backward_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), spec.operands, value_count, 0, true)
    , is_non_temporal_(spec.is_non_temporal) {}

bool channel_backward_kernel_t::has_prefetches() const {
    return type_of(relu) != dnnl_data_type_undef;
}

void channel_backward_kernel_t::visit(const tile_t &tile) {
    const jit::vec_t dy = vec("diff_dst"), x = vec("x - mean");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        io_.load(dy, type_of(diff_dst), at(diff_dst, i), count);
        if (has(relu)) keep_passed(dy, relu, i, count, x);
        if (has(diff_src_1)) io_.store(dy, type_of(diff_src_1), at(diff_src_1, i), count);
        if (!has(diff_src)) continue;
        if (has(src)) {
            io_.load(x, type_of(src), at(src, i), count);
            vsubps(*x, *x, value(mean, i));
            vfmadd213ps(*dy, value(factor, i), value(offset, i));
            vfmadd231ps(*dy, *x, value(slope, i));
        } else {
            vmulps(*dy, *dy, value(factor, i));
        }
        const bool is_bypassing = is_non_temporal_ && count == lanes();
        io_.store(dy, type_of(diff_src), at(diff_src, i), count,
                is_bypassing ? jit::store_t::non_temporal : jit::store_t::ordinary);
    }
}

} // namespace kiln::x64::channel_normalization
