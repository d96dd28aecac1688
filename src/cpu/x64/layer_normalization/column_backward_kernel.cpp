// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on columns.

#include "cpu/x64/layer_normalization/column_backward_kernel.hpp"

#include <cstddef>
#include <optional>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

constexpr uint32_t sign_bit = 0x80000000u;

bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

} // namespace

size_t column_backward_spec_t::non_temporal_alignment() const {
    return static_cast<size_t>(jit::lanes_of(isa)) * data_type_size(diff_src_type);
}

std::string column_backward_spec_t::name() const {
    return jit::kernel_name(is_rms ? "rms_norm_bwd_column" : "layer_norm_bwd_column",
            {src_type, diff_dst_type}, isa);
}

/// src, diff_dst and diff_src walk along the columns of a tile and are wound back after each walk.
struct column_backward_kernel_t::registers_t {
    explicit registers_t(column_backward_kernel_t &k)
        : src(k.gpr("src"))
        , diff_dst(k.gpr("diff_dst"))
        , diff_src(k.gpr("diff_src"))
        , mean_at(k.gpr("address of mean"))
        , variance_at(k.gpr("address of variance"))
        , scale(k.gpr("scale"))
        , weight_sums(k.gpr("sums of diff_scale and diff_shift"))
        , left(k.gpr("columns left")) {}
    gpr_t src, diff_dst, diff_src, mean_at, variance_at, scale, weight_sums, left;
};

/// What stays in registers for a tile.
struct column_backward_kernel_t::tile_vecs_t {
    tile_vecs_t(column_backward_kernel_t &k, const tile_t &of)
        : tile(of)
        , mean(k.vecs("mean", k.spec_.is_rms ? tile_t{0, 0} : of))
        , reciprocal(k.vecs("1 / sqrt(variance + epsilon)", of))
        , mean_g(k.vecs("sum of g", k.has_sums() && !k.spec_.is_rms ? of : tile_t{0, 0}))
        , mean_gx(k.vecs("sum of g * xhat", k.has_sums() ? of : tile_t{0, 0})) {}
    tile_t tile;
    vecs_t mean, reciprocal;
    vecs_t mean_g, mean_gx; // sums in the first walk, coefficients in the second
};

column_backward_kernel_t::column_backward_kernel_t(const column_backward_spec_t &spec)
    : column_kernel_t(spec.isa, spec.name(), spec.steps, spec.line,
            x64::tile_vectors(spec.isa, true, spec.line))
    , spec_(spec) {}

void column_backward_kernel_t::generate() {
    registers_t r(*this);
    mov(*r.src, argument(offsetof(column_backward_args_t, src)));
    mov(*r.diff_dst, argument(offsetof(column_backward_args_t, diff_dst)));
    mov(*r.diff_src, argument(offsetof(column_backward_args_t, diff_src)));
    mov(*r.mean_at, argument(offsetof(column_backward_args_t, mean)));
    mov(*r.variance_at, argument(offsetof(column_backward_args_t, variance)));
    mov(*r.left, argument(offsetof(column_backward_args_t, columns)));
    prepare();
    for_each_tile(r.left, [&](const tile_t &tile) {
        write_tile(r, tile);
        next_tile(r.src, spec_.src_type, tile);
        next_tile(r.diff_dst, spec_.diff_dst_type, tile);
        next_tile(r.diff_src, spec_.diff_src_type, tile);
        next_tile(r.mean_at, dnnl_f32, tile);
        next_tile(r.variance_at, dnnl_f32, tile);
    });
    release();
}

void column_backward_kernel_t::write_tile(registers_t &r, const tile_t &tile) {
    const tile_vecs_t v(*this, tile);
    load_lanes(v.mean, *r.mean_at, tile);
    load_lanes(v.reciprocal, *r.variance_at, tile);
    // Lanes that are not used have r = 0, so xhat = 0 there and diff_scale gets nothing from them.
    write_reciprocals(v.reciprocal, spec_.epsilon, tile);
    if (has_sums() || spec_.has_weight_gradients) write_sums(r, v);
    Xbyak::Label ordinary, end;
    cmp(qword[arguments() + offsetof(column_backward_args_t, diff_src)], 0);
    je(end, T_NEAR);
    write_coefficients(v);
    cmp(qword[arguments() + offsetof(column_backward_args_t, non_temporal)], 0);
    je(ordinary, T_NEAR);
    write_diff_src(r, v, store_t::non_temporal);
    jmp(end, T_NEAR);
    L(ordinary);
    write_diff_src(r, v, store_t::ordinary);
    L(end);
}

void column_backward_kernel_t::load_xhat(
        const Xbyak::Xmm &x, registers_t &r, const tile_vecs_t &v, int i) {
    io_.load(x, spec_.src_type, at(r.src, spec_.src_type, i), lanes_of(v.tile, i));
    if (!spec_.is_rms) vsubps(x, x, *v.mean[static_cast<size_t>(i)]);
    vmulps(x, x, *v.reciprocal[static_cast<size_t>(i)]);
}

void column_backward_kernel_t::load_diff_dst(
        const Xbyak::Xmm &dy, registers_t &r, const tile_vecs_t &v, int i) {
    io_.load(dy, spec_.diff_dst_type, at(r.diff_dst, spec_.diff_dst_type, i), lanes_of(v.tile, i));
}

void column_backward_kernel_t::write_sums(registers_t &r, const tile_vecs_t &v) {
    const bool has_weights = spec_.has_weight_gradients;
    const bool has_scale = has_sums() && is_used(spec_.scale_type);
    const vec_t x = vec("xhat"), dy = vec("diff_dst");
    std::optional<vec_t> scale, scale_sum, shift_sum;
    if (has_scale) scale.emplace(vec("scale"));
    if (has_weights) scale_sum.emplace(vec("diff_scale"));
    if (has_weights) shift_sum.emplace(vec("diff_shift"));
    mov(*r.scale, argument(offsetof(column_backward_args_t, scale)));
    mov(*r.weight_sums, argument(offsetof(column_backward_args_t, weight_sums)));
    sum_over_steps({&v.mean_g, &v.mean_gx}, [&] {
        if (scale) io_.load_broadcast(*scale, spec_.scale_type, *r.scale);
        if (scale) add(*r.scale, size_of(spec_.scale_type));
        for (int i = 0; i < v.tile.vectors; ++i) {
            const auto index = static_cast<size_t>(i);
            load_xhat(x, r, v, i);
            const bool is_first = i == 0;
            load_diff_dst(has_weights && is_first ? *shift_sum : dy, r, v, i);
            if (has_weights && is_first) {
                vmulps(**scale_sum, **shift_sum, *x);
                vmovaps(*dy, **shift_sum);
            } else if (has_weights) {
                vfmadd231ps(**scale_sum, *dy, *x);
                vaddps(**shift_sum, **shift_sum, *dy);
            }
            if (scale) vmulps(*dy, *dy, **scale);
            if (!v.mean_g.empty()) vaddps(*v.mean_g[index], *v.mean_g[index], *dy);
            if (!v.mean_gx.empty()) vfmadd231ps(*v.mean_gx[index], *dy, *x);
        }
        if (has_weights) add_to_weight_sums(r, *scale_sum, *shift_sum);
        next_step(r);
    });
    for (const vecs_t *sums : {&v.mean_g, &v.mean_gx})
        for (const vec_t &sum : *sums) divide_by_steps(sum);
    rewind(r);
}

void column_backward_kernel_t::add_to_weight_sums(
        registers_t &r, const Xbyak::Xmm &scale_sum, const Xbyak::Xmm &shift_sum) {
    const int vector_size = lanes() * size_of(dnnl_f32);
    vaddps(scale_sum, scale_sum, ptr[*r.weight_sums]);
    vaddps(shift_sum, shift_sum, ptr[*r.weight_sums + vector_size]);
    vmovups(ptr[*r.weight_sums], scale_sum);
    vmovups(ptr[*r.weight_sums + vector_size], shift_sum);
    add(*r.weight_sums, 2 * vector_size);
}

void column_backward_kernel_t::write_coefficients(const tile_vecs_t &v) {
    const vec_t minus_r = vec("-r");
    for (size_t i = 0; i < v.mean_gx.size(); ++i) {
        vxorps(*minus_r, *v.reciprocal[i], constant_bits(sign_bit));
        if (!v.mean_g.empty()) vmulps(*v.mean_g[i], *v.mean_g[i], *minus_r);
        vmulps(*v.mean_gx[i], *v.mean_gx[i], *minus_r);
    }
}

void column_backward_kernel_t::write_diff_src(registers_t &r, const tile_vecs_t &v, store_t how) {
    const vec_t x = vec("xhat"), value = vec("diff_src");
    const auto &result = *value;
    std::optional<vec_t> scale;
    if (is_used(spec_.scale_type)) scale.emplace(vec("scale"));
    mov(*r.scale, argument(offsetof(column_backward_args_t, scale)));
    for_each_step([&] {
        if (scale) io_.load_broadcast(*scale, spec_.scale_type, *r.scale);
        if (scale) add(*r.scale, size_of(spec_.scale_type));
        prefetch_next_tile(r.src, spec_.src_type, v.tile);
        prefetch_next_tile(r.diff_dst, spec_.diff_dst_type, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            const auto index = static_cast<size_t>(i);
            load_diff_dst(result, r, v, i);
            if (scale) vmulps(result, result, **scale);
            vmulps(result, result, *v.reciprocal[index]);
            if (!v.mean_gx.empty()) {
                load_xhat(x, r, v, i);
                vfmadd231ps(result, *x, *v.mean_gx[index]);
            }
            if (!v.mean_g.empty()) vaddps(result, result, *v.mean_g[index]);
            const int lanes_used = lanes_of(v.tile, i);
            io_.store(result, spec_.diff_src_type, at(r.diff_src, spec_.diff_src_type, i),
                    lanes_used, lanes_used == lanes() ? how : store_t::ordinary);
        }
        next_step(r);
        add(*r.diff_src, argument(offsetof(column_backward_args_t, diff_src_step)));
    });
    rewind(r);
    sub(*r.diff_src, argument(offsetof(column_backward_args_t, diff_src_span)));
}

void column_backward_kernel_t::next_step(registers_t &r) {
    add(*r.src, argument(offsetof(column_backward_args_t, src_step)));
    add(*r.diff_dst, argument(offsetof(column_backward_args_t, diff_dst_step)));
}

void column_backward_kernel_t::rewind(registers_t &r) {
    sub(*r.src, argument(offsetof(column_backward_args_t, src_span)));
    sub(*r.diff_dst, argument(offsetof(column_backward_args_t, diff_dst_span)));
}

} // namespace kiln::x64::layer_normalization
