// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.

#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

column_forward_kernel_t::column_forward_kernel_t(const forward_spec_t &spec)
    : column_kernel_t(spec, spec.name("column"), spec.needs_many_registers(), held)
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {}

void column_forward_kernel_t::write_tile(const tile_t &tile) {
    const tile_statistics_t v = statistics_of(tile, !spec_.is_rms);
    if (spec_.statistics == statistics_t::given) {
        load_all(v.means, mean, tile);
        load_all(v.variances, variance, tile);
    } else {
        find_statistics(v, src);
        if (spec_.statistics == statistics_t::computed_and_stored) {
            store_all(v.means, mean, tile);
            store_all(v.variances, variance, tile);
        }
    }
    find_reciprocals(v, spec_.epsilon);
    if (spec_.has_non_temporal_stores(dst))
        for_each_store([&](store_t how) { write_result(v, how); });
    else
        write_result(v, store_t::ordinary);
    next_tile_of_operands(tile);
}

std::optional<vec_t> column_forward_kernel_t::load_scalar(size_t scalar) {
    if (!spec_.has(scalar)) return std::nullopt;
    std::optional<vec_t> value(vec("scale of quantization"));
    const gpr_t at = gpr("address of a scale");
    mov(*at, operand_argument(scalar));
    io_.load_broadcast(*value, spec_.type(scalar), *at);
    return value;
}

void column_forward_kernel_t::write_result(const tile_statistics_t &v, store_t how) {
    const auto src_factor = load_scalar(src_scale), dst_divisor = load_scalar(dst_scale);
    const auto factor = weight(scale), offset = weight(shift);
    const vec_t value = vec("y");
    const auto &y = *value;
    for_each_step([&] {
        load_next(factor);
        load_next(offset);
        prefetch_next_tile(src, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            load_normalized(y, src, i, v);
            if (factor && offset)
                vfmadd213ps(y, *factor->value, *offset->value);
            else if (factor)
                vmulps(y, y, *factor->value);
            else if (offset)
                vaddps(y, y, *offset->value);
            if (src_factor) vmulps(y, y, **src_factor);
            apply_post_ops(y, i, v.tile);
            if (dst_divisor) vdivps(y, y, **dst_divisor);
            store(y, dst, i, v.tile, how);
        }
        next_step(src);
        next_step(dst);
        advance_operands(1);
    });
    advance_operands(-spec_.length);
    rewind(src);
    rewind(dst);
}

void column_forward_kernel_t::apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile) {
    if (post_ops_.empty()) return;
    const gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, lanes_of(tile, i), [&](int index) {
        const auto [type, per_lane] = post_op_operands_[static_cast<size_t>(index)];
        mov(*base, operand_argument(first_post_op + static_cast<size_t>(index)));
        return *base + (per_lane ? i * lanes() * size_of(type) : 0);
    });
}

void column_forward_kernel_t::advance_operands(dim_t steps) {
    for (size_t i = first_post_op; i < spec_.operands.size(); ++i)
        if (spec_.pitch(i) != 0) advance(operand_argument(i), steps * spec_.pitch(i));
}

void column_forward_kernel_t::next_tile_of_operands(const tile_t &tile) {
    for (size_t i = 0; i < post_op_operands_.size(); ++i)
        if (const auto [type, per_lane] = post_op_operands_[i]; per_lane)
            advance(operand_argument(first_post_op + i), tile.vectors * lanes() * size_of(type));
}

} // namespace kiln::x64::layer_normalization
