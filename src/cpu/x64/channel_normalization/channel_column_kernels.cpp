// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels with few elements, which are columns.

#include "cpu/x64/channel_normalization/channel_column_kernels.hpp"

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::channel_normalization {

std::string channel_column_forward_spec_t::name() const {
    return jit::kernel_name("channel_column_forward", {type(src), type(dst)}, isa);
}

std::string channel_column_backward_spec_t::name() const {
    return jit::kernel_name("channel_column_backward", {type(src), type(diff_dst)}, isa);
}

// ---- Forward

channel_column_forward_kernel_t::channel_column_forward_kernel_t(const spec_t &spec)
    : column_kernel_t(spec, spec.name(), spec.needs_many_registers(), spec_t::held, coefficients)
    , spec_(spec) {}

void channel_column_forward_kernel_t::write_tile(const tile_t &tile) {
    if (!has_parts()) {
        if (spec_.may_be_bounded()) return write_either_form(tile);
        const tile_statistics_t v = coefficients_of(tile);
        write_dst(tile, [&](const Xmm &y, int i) { load_normalized(y, spec_t::src, i, v); });
    } else {
        for_each_part(tile, [&](const tile_t &part) {
            const tile_statistics_t v = coefficients_of(part);
            const vec_t shift = vec("shift");
            for (int i = 0; i < part.vectors; ++i) {
                vmovups(coefficient(center, i), *v.means[i]);
                vmovups(coefficient(factor, i), *v.variances[i]);
                vmovups(*shift, v.shifts[i]);
                vmovups(coefficient(offset, i), *shift);
            }
        });
        const vec_t r = vec("factor");
        write_dst(tile, [&](const Xmm &y, int i) {
            load(y, spec_t::src, i, tile);
            vsubps(y, y, coefficient(center, i));
            vmovups(*r, coefficient(factor, i));
            vfmsub213ps(y, *r, coefficient(offset, i));
        });
    }
}

void channel_column_forward_kernel_t::write_either_form(const tile_t &tile) {
    tile_statistics_t v = coefficients_of(tile);
    const auto normalize = [&](const Xmm &y, int i) { load_normalized(y, spec_t::src, i, v); };
    Xbyak::Label bounded, end;
    jump_if_bounded(v, bounded);
    write_dst(tile, normalize);
    jmp(end, T_NEAR);
    L(bounded);
    fold_means(v);
    write_dst(tile, normalize, results_t::bounded);
    L(end);
}

void channel_column_forward_kernel_t::jump_if_bounded(
        const tile_statistics_t &v, const Xbyak::Label &bounded) {
    jit::lane_condition_t unbounded(*this);
    const vec_t shift = vec("mean * r + t");
    for (int i = 0; i < v.tile.vectors; ++i) {
        vmovups(*shift, *v.means[i]);
        vfmadd213ps(*shift, *v.variances[i], v.shifts[i]);
        add_unbounded(*this, unbounded, *v.variances[i], *shift);
    }
    unbounded.jump_if_none(bounded);
}

void channel_column_forward_kernel_t::fold_means(tile_statistics_t &v) {
    for (int i = 0; i < v.tile.vectors; ++i) {
        vfmadd213ps(*v.means[i], *v.variances[i], v.shifts[i]);
        v.shifts.set(i, v.means[i]);
    }
    v.means.clear();
}

column_kernel_t::tile_statistics_t channel_column_forward_kernel_t::coefficients_of(
        const tile_t &tile) {
    tile_statistics_t v = statistics_of(tile, true, true);
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
    return v;
}

void channel_column_forward_kernel_t::apply_weights(const tile_statistics_t &v) {
    if (!spec_.has(spec_t::scale) && !spec_.has(spec_t::shift)) return;
    const vec_t weight = vec("scale or shift"), offset = vec("shift of xhat");
    for (int i = 0; i < v.tile.vectors; ++i) {
        const auto &r = *v.variances[i];
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

void channel_column_forward_kernel_t::write_dst(
        const tile_t &tile, const normalize_t &normalize, results_t results) {
    for_each_store(spec_t::output, [&](store_t how) { write_dst(tile, how, normalize, results); });
}

void channel_column_forward_kernel_t::write_dst(
        const tile_t &tile, store_t how, const normalize_t &normalize, results_t results) {
    const vec_t y = vec("y");
    // A single sweep over blocks goes in the order of memory.
    const bool is_in_order = spec_.reads_stats && spec_.column_block != 0;
    const bool has_prefetch = prefetches_next_tile() && !is_in_order;
    for_each_result({spec_t::src, spec_t::dst, spec_t::relu_mask}, [&] {
        if (has_prefetch) prefetch_next_tile(spec_t::src, tile);
        for (int i = 0; i < tile.vectors; ++i) {
            normalize(y, i);
            if (spec_.has_relu && results == results_t::bounded) {
                vmaxps(y, y, constant(0.f));
            } else if (spec_.has_relu) {
                const jit::lane_condition_t passes = jit::relu(*this, y);
                if (spec_.has(spec_t::relu_mask))
                    passes.store_bits(at(spec_t::relu_mask, i), lanes_of(tile, i));
            }
            apply_post_ops(y, i, tile);
            store_dst(y, i, tile, how, results);
        }
    });
}

void channel_column_forward_kernel_t::store_dst(
        const Xmm &y, int i, const tile_t &tile, store_t how, results_t results) {
    if (results == results_t::any) return store_padded(y, spec_t::dst, i, tile, how);
    io_.store_bounded(y, at(spec_t::dst, i), padded_lanes_of(tile, i), how);
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
    : column_kernel_t(spec, spec.name(), spec.needs_many_registers(), spec_t::held, coefficients)
    , spec_(spec) {}

void channel_column_backward_kernel_t::write_tile(const tile_t &tile) {
    if (has_parts()) return write_parts(tile);
    const tile_vecs_t v(*this, tile);
    find_sums(v);
    const auto combine = [&](const Xmm &dy, const Xmm &x, int i) {
        if (spec_.has_constant_stats) return vmulps(dy, dy, *v.columns.variances[i]);
        vsubps(x, x, *v.columns.means[i]);
        vfmsub213ps(dy, *v.columns.variances[i], *v.of_dy[i]);
        vfnmadd231ps(dy, x, *v.of_dyd[i]);
    };
    unless_zero(operand_argument(spec_t::diff_src), [&] {
        write_coefficients(v);
        write_diff_src(tile, combine);
    });
}

void channel_column_backward_kernel_t::write_parts(const tile_t &tile) {
    for_each_part(tile, [&](const tile_t &part) {
        const tile_vecs_t v(*this, part);
        find_sums(v);
        write_coefficients(v);
        for (int i = 0; i < part.vectors; ++i) {
            vmovups(coefficient(center, i), *v.columns.means[i]);
            vmovups(coefficient(factor, i), *v.columns.variances[i]);
            vmovups(coefficient(offset, i), *v.of_dy[i]);
            vmovups(coefficient(slope, i), *v.of_dyd[i]);
        }
    });
    const vec_t r = vec("factor");
    const auto combine = [&](const Xmm &dy, const Xmm &x, int i) {
        if (spec_.has_constant_stats) return vmulps(dy, dy, coefficient(factor, i));
        vsubps(x, x, coefficient(center, i));
        vmovups(*r, coefficient(factor, i));
        vfmsub213ps(dy, *r, coefficient(offset, i));
        vfnmadd231ps(dy, x, coefficient(slope, i));
    };
    unless_zero(operand_argument(spec_t::diff_src), [&] { write_diff_src(tile, combine); });
}

void channel_column_backward_kernel_t::find_sums(const tile_vecs_t &v) {
    load_all(v.columns.means, spec_t::mean, v.tile);
    load_all(v.columns.variances, spec_t::variance, v.tile);
    find_reciprocals(v.columns, spec_.epsilon);
    write_sums(v);
}

void channel_column_backward_kernel_t::write_sums(const tile_vecs_t &v) {
    {
        const vec_t d = vec("d"), dy = vec("diff_dst");
        sum_over_steps(
                {&v.of_dy, &v.of_dyd}, {spec_t::src, spec_t::diff_dst, spec_t::relu_mask}, [&] {
                    for (int i = 0; i < v.tile.vectors; ++i) {
                        load(d, spec_t::src, i, v.tile);
                        load_gradient(dy, i, v.tile);
                        vsubps(*d, *d, *v.columns.means[i]);
                        vaddps(*v.of_dy[i], *v.of_dy[i], *dy);
                        vfmadd231ps(*v.of_dyd[i], *dy, *d);
                    }
                });
    }
    for (size_t i = 0; i < v.of_dyd.size(); ++i)
        vmulps(*v.of_dyd[i], *v.of_dyd[i], *v.columns.variances[i]);
    store_gradient(v.of_dyd, spec_t::diff_scale, v.tile);
    store_gradient(v.of_dy, spec_t::diff_shift, v.tile);
}

void channel_column_backward_kernel_t::store_gradient(
        const vecs_t &from, size_t operand, const tile_t &tile) {
    if (!spec_.has(operand)) return;
    unless_zero(operand_argument(operand), [&] { store_all(from, operand, tile); });
}

void channel_column_backward_kernel_t::write_coefficients(const tile_vecs_t &v) {
    const vec_t weight = vec("scale");
    for (int i = 0; i < v.tile.vectors; ++i) {
        const auto &factor = *v.columns.variances[i]; // r, then scale * r
        const auto &offset = *v.of_dy[i], &slope = *v.of_dyd[i];
        if (spec_.length == 1 && !spec_.has_constant_stats) {
            // dst is the shift alone, of which rounding would leave something else than 0.
            for (const Xmm &value : {factor, offset, slope}) set_zero(value);
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

void channel_column_backward_kernel_t::write_diff_src(
        const tile_t &tile, const combine_t &combine) {
    for_each_store(spec_t::output, [&](store_t how) { write_diff_src(tile, how, combine); });
}

void channel_column_backward_kernel_t::write_diff_src(
        const tile_t &tile, store_t how, const combine_t &combine) {
    const bool has_sums = !spec_.has_constant_stats;
    const bool has_prefetch = prefetches_next_tile();
    const vec_t d = vec("d"), result = vec("diff_src");
    for_each_step({spec_t::src, spec_t::diff_dst, spec_t::diff_src, spec_t::relu_mask}, [&] {
        if (has_prefetch) prefetch_next_tile(spec_t::diff_dst, tile);
        if (has_prefetch && has_sums) prefetch_next_tile(spec_t::src, tile);
        for (int i = 0; i < tile.vectors; ++i) {
            load_gradient(result, i, tile);
            if (has_sums) load(d, spec_t::src, i, tile);
            combine(result, d, i);
            store_padded(result, spec_t::diff_src, i, tile, how);
        }
    });
}

void channel_column_backward_kernel_t::load_gradient(const Xmm &dy, int i, const tile_t &tile) {
    load(dy, spec_t::diff_dst, i, tile);
    if (spec_.has(spec_t::relu_mask))
        jit::lane_condition_t(*this, at(spec_t::relu_mask, i), lanes_of(tile, i)).keep(dy);
}

} // namespace kiln::x64::channel_normalization
