// SPDX-License-Identifier: Apache-2.0
// Sums for the mean and variance of channels.

#include "cpu/x64/channel_normalization/channel_moments_kernel.hpp"

#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::channel_normalization {

using namespace forward_operand;

std::string channel_moments_spec_t::name() const {
    return jit::kernel_name(
            std::string("channel_moments_") + name_of(walk.rows), {operands[src].type}, walk.isa);
}

channel_moments_kernel_t::channel_moments_kernel_t(const channel_moments_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), spec.operands, 1, sum_count, false) {}

void channel_moments_kernel_t::visit(const tile_t &tile) {
    const jit::vec_t x = vec("x - K");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        io_.load(x, type_of(src), at(src, i), count);
        vsubps(*x, *x, value(0, i));
        if (is_planes()) keep_lanes(x, count); // lanes without an element would add -K
        vaddps(sum(0, i), sum(0, i), *x);
        vfmadd231ps(sum(1, i), *x, *x);
    }
}

} // namespace kiln::x64::channel_normalization
