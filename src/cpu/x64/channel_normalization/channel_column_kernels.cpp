// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels with few elements, which are columns.

#include "cpu/x64/channel_normalization/channel_column_kernels.hpp"

namespace kiln::x64::channel_normalization {

using jit::store_t;
using jit::vec_t;

std::string channel_column_forward_spec_t::name() const {
    return jit::kernel_name("channel_column_forward", {type(src), type(dst)}, isa);
}

std::string channel_column_backward_spec_t::name() const {
    return jit::kernel_name("channel_column_backward", {type(src), type(diff_dst)}, isa);
}

// ---- Forward

channel_column_forward_kernel_t::channel_column_forward_kernel_t(const spec_t &spec)
    : column_output_kernel_t(
            spec, spec.name(), spec.needs_many_registers(), spec_t::held, spec_t::first_post_op)
    , spec_(spec) {}

void channel_column_forward_kernel_t::write_tile(const tile_t &tile) {
    const tile_statistics_t v = statistics_of(tile, true, true);
    if (spec_.reads_stats) {
        load_all(v.means, spec_t::mean, tile);
        load_all(v.variances, spec_t::variance, tile);
        const vec_t zero = vec("0");
        set_zero(zero);
        for (int i = 0; i < tile.vectors; ++i) v.shifts.set(i, zero);
    } else {
        find_statistics(v, spec_t::src);
    }
    if (spec_.writes_stats) {
        store_all(v.means, spec_t::mean, tile);
        store_all(v.variances, spec_t::variance, tile);
    }
    find_reciprocals(v, spec_.epsilon);
    apply_weights(v);
    for_each_store([&](store_t how) { write_dst(v, how); });
    next_tile_of_operands(tile);
}

void channel_column_forward_kernel_t::apply_weights(const tile_statistics_t &v) {
    if (!spec_.has(spec_t::scale) && !spec_.has(spec_t::shift)) return;
    const vec_t weight = vec("scale or shift"), offset = vec("shift of xhat");
    for (int i = 0; i < v.tile.vectors; ++i) {
        const auto &r = *v.variances[static_cast<size_t>(i)];
        if (spec_.has(spec_t::scale)) {
            load(weight, spec_t::scale, i, v.tile);
            vmulps(r, r, *weight);
            vmulps(*offset, *weight, v.shifts[i]);
            v.shifts.set(i, offset);
        }
        if (!spec_.has(spec_t::shift)) continue;
        load(weight, spec_t::shift, i, v.tile);
        set_zero(offset);
        vsubps(*offset, *offset, *weight);
        vaddps(*offset, *offset, v.shifts[i]);
        v.shifts.set(i, offset);
    }
}

void channel_column_forward_kernel_t::write_dst(const tile_statistics_t &v, store_t how) {
    const vec_t y = vec("y");
    for_each_step([&] {
        prefetch_next_tile(spec_t::src, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            load_normalized(y, spec_t::src, i, v);
            apply_post_ops(y, i, v.tile);
            store(y, spec_t::dst, i, v.tile, how);
        }
        next_step(spec_t::src);
        next_step(spec_t::dst);
        advance_operands(1);
    });
    advance_operands(-spec_.length);
    rewind(spec_t::src);
    rewind(spec_t::dst);
}

// ---- Backward

/// What stays in registers for a tile: sums in the first walk, coefficients in the second.
struct channel_column_backward_kernel_t::tile_vecs_t {
    tile_vecs_t(channel_column_backward_kernel_t &k, const tile_t &of)
        : tile(of)
        , columns(k.statistics_of(of, true, false))
        , of_dy(k.vecs("sum of dy", of))
        , of_dyd(k.vecs("sum of dy * d", of)) {}
    tile_t tile;
    tile_statistics_t columns;
    vecs_t of_dy, of_dyd;
};

channel_column_backward_kernel_t::channel_column_backward_kernel_t(const spec_t &spec)
    : column_kernel_t(spec, spec.name(), spec.needs_many_registers(), spec_t::held)
    , spec_(spec) {}

void channel_column_backward_kernel_t::write_tile(const tile_t &tile) {
    const tile_vecs_t v(*this, tile);
    load_all(v.columns.means, spec_t::mean, tile);
    load_all(v.columns.variances, spec_t::variance, tile);
    find_reciprocals(v.columns, spec_.epsilon);
    write_sums(v);
    Xbyak::Label end;
    cmp(operand_argument(spec_t::diff_src), 0);
    je(end, T_NEAR);
    write_coefficients(v);
    for_each_store([&](store_t how) { write_diff_src(v, how); });
    L(end);
}

void channel_column_backward_kernel_t::write_sums(const tile_vecs_t &v) {
    {
        const vec_t d = vec("d"), dy = vec("diff_dst");
        sum_over_steps({&v.of_dy, &v.of_dyd}, [&] {
            for (int i = 0; i < v.tile.vectors; ++i) {
                const auto index = static_cast<size_t>(i);
                load(d, spec_t::src, i, v.tile);
                load(dy, spec_t::diff_dst, i, v.tile);
                vsubps(*d, *d, *v.columns.means[index]);
                vaddps(*v.of_dy[index], *v.of_dy[index], *dy);
                vfmadd231ps(*v.of_dyd[index], *dy, *d);
            }
            next_step(spec_t::src);
            next_step(spec_t::diff_dst);
        });
    }
    rewind(spec_t::src);
    rewind(spec_t::diff_dst);
    for (size_t i = 0; i < v.of_dyd.size(); ++i)
        vmulps(*v.of_dyd[i], *v.of_dyd[i], *v.columns.variances[i]);
    store_gradient(v.of_dyd, spec_t::diff_scale, v.tile);
    store_gradient(v.of_dy, spec_t::diff_shift, v.tile);
}

void channel_column_backward_kernel_t::store_gradient(
        const vecs_t &from, size_t operand, const tile_t &tile) {
    if (!spec_.has(operand)) return;
    Xbyak::Label end;
    cmp(operand_argument(operand), 0);
    je(end, T_NEAR);
    store_all(from, operand, tile);
    L(end);
}

void channel_column_backward_kernel_t::write_coefficients(const tile_vecs_t &v) {
    const vec_t weight = vec("scale");
    for (int i = 0; i < v.tile.vectors; ++i) {
        const auto index = static_cast<size_t>(i);
        const auto &factor = *v.columns.variances[index]; // r, then scale * r
        const auto &offset = *v.of_dy[index], &slope = *v.of_dyd[index];
        if (spec_.length == 1 && !spec_.has_constant_stats) {
            // dst is the shift alone, of which rounding would leave something else than 0.
            for (const Xbyak::Xmm &value : {factor, offset, slope}) set_zero(value);
            continue;
        }
        divide_by_steps(offset);
        divide_by_steps(slope);
        vmulps(slope, slope, factor);
        if (spec_.has(spec_t::scale)) {
            load(weight, spec_t::scale, i, v.tile);
            vmulps(factor, factor, *weight);
        }
        vmulps(offset, offset, factor);
        vmulps(slope, slope, factor);
    }
}

void channel_column_backward_kernel_t::write_diff_src(const tile_vecs_t &v, store_t how) {
    const bool has_sums = !spec_.has_constant_stats;
    const vec_t d = vec("d"), result = vec("diff_src");
    for_each_step([&] {
        prefetch_next_tile(spec_t::diff_dst, v.tile);
        if (has_sums) prefetch_next_tile(spec_t::src, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            const auto index = static_cast<size_t>(i);
            load(result, spec_t::diff_dst, i, v.tile);
            if (has_sums) {
                load(d, spec_t::src, i, v.tile);
                vsubps(*d, *d, *v.columns.means[index]);
                vfmsub213ps(*result, *v.columns.variances[index], *v.of_dy[index]);
                vfnmadd231ps(*result, *d, *v.of_dyd[index]);
            } else {
                vmulps(*result, *result, *v.columns.variances[index]);
            }
            store(result, spec_t::diff_src, i, v.tile, how);
        }
        next_step(spec_t::src);
        next_step(spec_t::diff_dst);
        next_step(spec_t::diff_src);
    });
    rewind(spec_t::src);
    rewind(spec_t::diff_dst);
    rewind(spec_t::diff_src);
}

} // namespace kiln::x64::channel_normalization
