// SPDX-License-Identifier: Apache-2.0
// Sums for the gradients of channels.

#include "cpu/x64/channel_normalization/channel_gradient_sums_kernel.hpp"

#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::channel_normalization {

using namespace backward_operand;

std::string channel_gradient_sums_spec_t::name() const {
    return jit::kernel_name(std::string("channel_gradient_sums_") + name_of(walk.rows),
            {operands[diff_dst].type, operands[src].type}, walk.isa);
}

channel_gradient_sums_kernel_t::channel_gradient_sums_kernel_t(
        const channel_gradient_sums_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), spec.operands, 1, sum_count, false) {}

bool channel_gradient_sums_kernel_t::has_prefetches() const {
    return type_of(relu) != dnnl_data_type_undef;
}

void channel_gradient_sums_kernel_t::visit(const tile_t &tile) {
    const jit::vec_t x = vec("x - mean"), dy = vec("diff_dst");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        // Lanes from count on are 0, so they add 0 to the sums.
        io_.load(dy, type_of(diff_dst), at(diff_dst, i), count);
        if (has(relu)) keep_passed(dy, relu, i, count, x);
        io_.load(x, type_of(src), at(src, i), count);
        vsubps(*x, *x, value(0, i));
        vaddps(sum(0, i), sum(0, i), *dy);
        vfmadd231ps(sum(1, i), *dy, *x);
    }
}

} // namespace kiln::x64::channel_normalization
