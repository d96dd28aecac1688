// SPDX-License-Identifier: Apache-2.0
// diff_src of the elements of channels whose statistics and sums are known.

#include "cpu/x64/channel_normalization/channel_backward_kernel.hpp"

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// Places of the operands that there are.
struct operands_t {
    explicit operands_t(const channel_backward_spec_t &spec) {
        const auto add = [&](bool is_there, data_type_t type) {
            if (is_there) types.push_back(type);
            return types.size() - 1;
        };
        diff_dst = add(true, spec.diff_dst_type);
        src = add(spec.src_type != dnnl_data_type_undef, spec.src_type);
        gate = add(spec.relu.has_value(), spec.relu.value_or(dnnl_data_type_undef));
        diff_src = add(spec.has_diff_src, spec.diff_src_type);
        diff_src_1 = add(spec.has_diff_src_1, spec.diff_dst_type);
    }
    std::vector<data_type_t> types;
    size_t diff_dst, src, gate, diff_src, diff_src_1;
};

} // namespace

std::string channel_backward_spec_t::name() const {
    return jit::kernel_name(std::string("channel_backward_") + name_of(walk.rows),
            {diff_dst_type, diff_src_type}, walk.isa);
}

channel_backward_kernel_t::channel_backward_kernel_t(const channel_backward_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), operands_t(spec).types, value_count, 0, true)
    , spec_(spec) {}

void channel_backward_kernel_t::visit(const tile_t &tile) {
    const operands_t operands(spec_);
    const bool has_reductions = spec_.src_type != dnnl_data_type_undef;
    const jit::vec_t dy = vec("diff_dst"), x = vec("x - mean");
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        io_.load(dy, spec_.diff_dst_type, at(operands.diff_dst, i), count);
        if (spec_.relu) keep_passed(dy, operands.gate, i, count, x);
        if (spec_.has_diff_src_1)
            io_.store(dy, spec_.diff_dst_type, at(operands.diff_src_1, i), count);
        if (!spec_.has_diff_src) continue;
        if (has_reductions) {
            io_.load(x, spec_.src_type, at(operands.src, i), count);
            vsubps(*x, *x, value(mean, i));
            vfmadd213ps(*dy, value(factor, i), value(offset, i));
            vfmadd231ps(*dy, *x, value(slope, i));
        } else {
            vmulps(*dy, *dy, value(factor, i));
        }
        const bool passes = spec_.is_non_temporal && count == lanes();
        io_.store(dy, spec_.diff_src_type, at(operands.diff_src, i), count,
                passes ? jit::store_t::non_temporal : jit::store_t::ordinary);
    }
}

} // namespace kiln::x64::channel_normalization
