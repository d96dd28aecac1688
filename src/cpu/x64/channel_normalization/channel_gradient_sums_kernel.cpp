// SPDX-License-Identifier: Apache-2.0
// Sums for the gradients of channels.

#include "cpu/x64/channel_normalization/channel_gradient_sums_kernel.hpp"

#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::channel_normalization {
namespace {

enum operand_t : size_t { diff_dst, src, gate };

std::vector<data_type_t> operands_of(const channel_gradient_sums_spec_t &spec) {
    std::vector<data_type_t> types{spec.diff_dst_type, spec.src_type};
    if (spec.relu) types.push_back(*spec.relu);
    return types;
}

} // namespace

std::string channel_gradient_sums_spec_t::name() const {
    return jit::kernel_name(std::string("channel_gradient_sums_") + name_of(walk.rows),
            {diff_dst_type, src_type}, walk.isa);
}

channel_gradient_sums_kernel_t::channel_gradient_sums_kernel_t(
        const channel_gradient_sums_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), operands_of(spec), 1, sum_count, false)
    , spec_(spec) {}

void channel_gradient_sums_kernel_t::visit(const tile_t &tile) {
    const jit::vec_t x = vec("x - mean"), dy = vec("diff_dst");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        // Lanes beyond count are 0 and add nothing.
        io_.load(dy, spec_.diff_dst_type, at(diff_dst, i), count);
        if (spec_.relu) keep_passed(dy, gate, i, count, x);
        io_.load(x, spec_.src_type, at(src, i), count);
        vsubps(*x, *x, value(0, i));
        vaddps(sum(0, i), sum(0, i), *dy);
        vfmadd231ps(sum(1, i), *dy, *x);
    }
}

} // namespace kiln::x64::channel_normalization
