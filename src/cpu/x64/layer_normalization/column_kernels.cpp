// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization on columns.

#include "cpu/x64/layer_normalization/column_kernels.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::layer_normalization {

column_forward_kernel_t::column_forward_kernel_t(const forward_spec_t &spec)
    : column_kernel_t(spec, spec.name("column"), spec.needs_many_registers(), held)
    , spec_(spec) {}

void column_forward_kernel_t::write_tile(const tile_t &tile) {
    const bool are_given = spec_.statistics == statistics_t::given;
    const tile_statistics_t v = statistics_of(tile, !spec_.is_rms, !are_given);
    if (are_given) {
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
    for_each_store(dst, [&](store_t how) { write_result(v, how); });
}

void column_forward_kernel_t::write_result(const tile_statistics_t &v, store_t how) {
    const auto src_factor = load_scalar(src_scale);
    const auto divisor = load_divisor(dst_scale);
    const auto factor = weight(scale), offset = weight(shift);
    const vec_t value = vec("y");
    const auto &y = *value;
    for_each_result({src, dst}, [&] {
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
            if (divisor) divisor->divide(y);
            store(y, dst, i, v.tile, how);
        }
    });
}

/// What stays in registers for a tile.
struct column_backward_kernel_t::tile_vecs_t {
    tile_vecs_t(column_backward_kernel_t &k, tile_statistics_t statistics)
        : tile(statistics.tile)
        , columns(std::move(statistics))
        , mean_g(k.vecs("sum of g", k.spec_.has_sums() && !k.spec_.is_rms ? tile : tile_t{0, 0}))
        , mean_gx(k.vecs("sum of g * xhat", k.spec_.has_sums() ? tile : tile_t{0, 0})) {}
    tile_t tile;
    tile_statistics_t columns;
    vecs_t mean_g, mean_gx; // sums in the first walk, coefficients in the second
};

column_backward_kernel_t::column_backward_kernel_t(const backward_spec_t &spec)
    : column_kernel_t(spec, spec.name("column"), spec.needs_many_registers(), held)
    , spec_(spec) {}

void column_backward_kernel_t::write_tile(const tile_t &tile) {
    tile_statistics_t columns = statistics_of(tile, !spec_.is_rms, !spec_.has(variance));
    if (spec_.has(variance)) {
        load_all(columns.means, mean, tile);
        load_all(columns.variances, variance, tile);
    } else {
        find_statistics(columns, src);
    }
    // In lanes that are not used r = 0, so xhat = 0 and diff_scale gets nothing from them.
    find_reciprocals(columns, spec_.epsilon);
    const tile_vecs_t v(*this, std::move(columns));
    if (spec_.has_sums() || spec_.has_weight_gradients()) write_sums(v);
    unless_zero(operand_argument(diff_src), [&] {
        write_coefficients(v);
        for_each_store(diff_src, [&](store_t how) { write_diff_src(v, how); });
    });
}

void column_backward_kernel_t::write_sums(const tile_vecs_t &v) {
    const bool has_weights = spec_.has_weight_gradients();
    const vec_t x = vec("xhat"), dy = vec("diff_dst");
    const std::optional<weight_t> factor = spec_.has_sums() ? weight(scale) : std::nullopt;
    std::optional<gpr_t> weight_sums;
    std::optional<vec_t> scale_sum, shift_sum;
    if (has_weights) {
        scale_sum.emplace(vec("diff_scale"));
        shift_sum.emplace(vec("diff_shift"));
        mov(*weight_sums.emplace(gpr("sums of diff_scale and diff_shift")),
                argument(offsetof(column_args_t, memory)));
    }
    sum_over_steps({&v.mean_g, &v.mean_gx}, {src, diff_dst}, [&] {
        load_next(factor);
        for (int i = 0; i < v.tile.vectors; ++i) {
            load_normalized(x, src, i, v.columns);
            const bool is_first = i == 0;
            load(has_weights && is_first ? *shift_sum : dy, diff_dst, i, v.tile);
            if (has_weights && is_first) {
                vmulps(**scale_sum, **shift_sum, *x);
                vmovaps(*dy, **shift_sum);
            } else if (has_weights) {
                vfmadd231ps(**scale_sum, *dy, *x);
                vaddps(**shift_sum, **shift_sum, *dy);
            }
            if (factor) vmulps(*dy, *dy, *factor->value);
            if (!v.mean_g.empty()) vaddps(*v.mean_g[i], *v.mean_g[i], *dy);
            if (!v.mean_gx.empty()) vfmadd231ps(*v.mean_gx[i], *dy, *x);
        }
        if (has_weights) add_to_weight_sums(**weight_sums, *scale_sum, *shift_sum);
    });
    for (const vecs_t *sums : {&v.mean_g, &v.mean_gx})
        for (const vec_t &sum : *sums) divide_by_steps(sum);
}

void column_backward_kernel_t::add_to_weight_sums(
        const Reg64 &at, const Xmm &scale_sum, const Xmm &shift_sum) {
    const int vector_size = lanes() * size_of(dnnl_f32);
    vaddps(scale_sum, scale_sum, ptr[at]);
    vaddps(shift_sum, shift_sum, ptr[at + vector_size]);
    vmovups(ptr[at], scale_sum);
    vmovups(ptr[at + vector_size], shift_sum);
    add(at, 2 * vector_size);
}

void column_backward_kernel_t::write_coefficients(const tile_vecs_t &v) {
    const vec_t minus_r = vec("-r");
    for (size_t i = 0; i < v.mean_gx.size(); ++i) {
        vxorps(*minus_r, *v.columns.variances[i], constant_bits(jit::sign_bit));
        if (!v.mean_g.empty()) vmulps(*v.mean_g[i], *v.mean_g[i], *minus_r);
        vmulps(*v.mean_gx[i], *v.mean_gx[i], *minus_r);
    }
}

void column_backward_kernel_t::write_diff_src(const tile_vecs_t &v, store_t how) {
    const vec_t x = vec("xhat"), value = vec("diff_src");
    const auto &result = *value;
    const auto factor = weight(scale);
    for_each_step({src, diff_dst, diff_src}, [&] {
        load_next(factor);
        prefetch_next_tile(src, v.tile);
        prefetch_next_tile(diff_dst, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            load(result, diff_dst, i, v.tile);
            if (factor) vmulps(result, result, *factor->value);
            vmulps(result, result, *v.columns.variances[i]);
            if (!v.mean_gx.empty()) {
                load_normalized(x, src, i, v.columns);
                vfmadd231ps(result, *x, *v.mean_gx[i]);
            }
            if (!v.mean_g.empty()) vaddps(result, result, *v.mean_g[i]);
            store(result, diff_src, i, v.tile, how);
        }
    });
}

} // namespace kiln::x64::layer_normalization
