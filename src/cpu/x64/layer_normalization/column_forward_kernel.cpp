// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.

#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"

#include <cstddef>
#include <optional>

#include "common/memory/data_type.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

} // namespace

std::string column_forward_spec_t::name() const {
    return jit::kernel_name(
            is_rms ? "rms_norm_fwd_column" : "layer_norm_fwd_column", {src_type, dst_type}, isa);
}

bool column_forward_spec_t::has_non_temporal_path() const {
    return one_of(dst_type, {dnnl_f32, dnnl_bf16, dnnl_f16});
}

size_t column_forward_spec_t::non_temporal_alignment() const {
    return static_cast<size_t>(jit::lanes_of(isa)) * data_type_size(dst_type);
}

/// src and dst walk along the columns of a tile and are wound back after each walk.
struct column_forward_kernel_t::registers_t {
    explicit registers_t(column_forward_kernel_t &k)
        : src(k.gpr("src"))
        , dst(k.gpr("dst"))
        , mean_at(k.gpr("address of mean"))
        , variance_at(k.gpr("address of variance"))
        , scale(k.gpr("scale"))
        , shift(k.gpr("shift"))
        , left(k.gpr("columns left")) {}
    gpr_t src, dst, mean_at, variance_at, scale, shift, left;
};

column_forward_kernel_t::column_forward_kernel_t(const column_forward_spec_t &spec)
    : column_kernel_t(spec.isa, spec.name(), spec.steps, spec.line,
            x64::tile_vectors(spec.isa, !spec.post_ops.empty(), spec.line))
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops)
    , operands_(jit::operands_of(spec.post_ops)) {}

void column_forward_kernel_t::generate() {
    registers_t r(*this);
    mov(*r.src, argument(offsetof(column_forward_args_t, src)));
    mov(*r.dst, argument(offsetof(column_forward_args_t, dst)));
    mov(*r.mean_at, argument(offsetof(column_forward_args_t, mean)));
    mov(*r.variance_at, argument(offsetof(column_forward_args_t, variance)));
    mov(*r.left, argument(offsetof(column_forward_args_t, columns)));
    prepare();
    for_each_tile(r.left, [&](const tile_t &tile) {
        write_tile(r, tile);
        next_tile(r.src, spec_.src_type, tile);
        next_tile(r.dst, spec_.dst_type, tile);
        next_tile(r.mean_at, dnnl_f32, tile);
        next_tile(r.variance_at, dnnl_f32, tile);
        next_tile_of_operands(tile);
    });
    release();
}

void column_forward_kernel_t::write_tile(registers_t &r, const tile_t &tile) {
    const tile_t no_vectors{0, 0};
    const vecs_t mean = vecs("mean", spec_.is_rms ? no_vectors : tile);
    const vecs_t variance = vecs("variance, then 1 / sqrt(variance + epsilon)", tile);
    if (spec_.statistics == statistics_t::given) {
        load_lanes(mean, *r.mean_at, tile);
        load_lanes(variance, *r.variance_at, tile);
    } else {
        if (!spec_.is_rms) write_mean(r, mean, tile);
        write_variance(r, mean, variance, tile);
        if (spec_.statistics == statistics_t::computed_and_stored) {
            store_lanes(mean, *r.mean_at, tile);
            store_lanes(variance, *r.variance_at, tile);
        }
    }
    write_reciprocals(variance, spec_.epsilon, tile);
    if (!spec_.has_non_temporal_path())
        return write_result(r, mean, variance, tile, store_t::ordinary);
    Xbyak::Label ordinary, end;
    cmp(qword[arguments() + offsetof(column_forward_args_t, non_temporal)], 0);
    je(ordinary, T_NEAR);
    write_result(r, mean, variance, tile, store_t::non_temporal);
    jmp(end, T_NEAR);
    L(ordinary);
    write_result(r, mean, variance, tile, store_t::ordinary);
    L(end);
}

void column_forward_kernel_t::load_src(
        const Xbyak::Xmm &x, registers_t &r, int i, const tile_t &tile) {
    io_.load(x, spec_.src_type, at(r.src, spec_.src_type, i), lanes_of(tile, i));
}

void column_forward_kernel_t::rewind_src(registers_t &r) {
    sub(*r.src, argument(offsetof(column_forward_args_t, src_span)));
}

void column_forward_kernel_t::write_mean(registers_t &r, const vecs_t &mean, const tile_t &tile) {
    const vec_t x = vec("x");
    sum_over_steps({&mean}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const auto &sum = *mean[static_cast<size_t>(i)];
            load_src(x, r, i, tile);
            vaddps(sum, sum, *x);
        }
        add(*r.src, argument(offsetof(column_forward_args_t, src_step)));
    });
    for (const vec_t &sum : mean) divide_by_steps(sum);
    rewind_src(r);
}

void column_forward_kernel_t::write_variance(
        registers_t &r, const vecs_t &mean, const vecs_t &variance, const tile_t &tile) {
    const vec_t x = vec("x");
    const tile_t no_vectors{0, 0};
    const vecs_t deviation = vecs("deviation", spec_.is_rms ? no_vectors : tile);
    sum_over_steps({&variance, &deviation}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const auto index = static_cast<size_t>(i);
            load_src(x, r, i, tile);
            if (!spec_.is_rms) {
                vsubps(*x, *x, *mean[index]);
                vaddps(*deviation[index], *deviation[index], *x);
            }
            vfmadd231ps(*variance[index], *x, *x);
        }
        add(*r.src, argument(offsetof(column_forward_args_t, src_step)));
    });
    for (int i = 0; i < tile.vectors; ++i) {
        const auto index = static_cast<size_t>(i);
        if (!spec_.is_rms) {
            vmovups(*x, *deviation[index]);
            divide_by_steps(x);
            vfnmadd231ps(*variance[index], *deviation[index], *x);
        }
        divide_by_steps(variance[index]);
    }
    rewind_src(r);
}

void column_forward_kernel_t::write_result(registers_t &r, const vecs_t &mean,
        const vecs_t &reciprocal, const tile_t &tile, store_t how) {
    const auto optional_vec = [&](bool used, const char *name) {
        return used ? std::optional<vec_t>(vec(name)) : std::nullopt;
    };
    const auto src_scale = optional_vec(is_used(spec_.src_scale_type), "src scale");
    const auto dst_scale = optional_vec(is_used(spec_.dst_scale_type), "dst scale");
    const auto scale = optional_vec(is_used(spec_.scale_type), "scale");
    const auto shift = optional_vec(is_used(spec_.shift_type), "shift");
    const auto load_quantization = [&](const std::optional<vec_t> &to, data_type_t type,
                                           size_t offset) {
        if (!to) return;
        mov(*r.scale, argument(offset));
        io_.load_broadcast(**to, type, *r.scale);
    };
    load_quantization(src_scale, spec_.src_scale_type, offsetof(column_forward_args_t, src_scale));
    load_quantization(dst_scale, spec_.dst_scale_type, offsetof(column_forward_args_t, dst_scale));
    mov(*r.scale, argument(offsetof(column_forward_args_t, scale)));
    mov(*r.shift, argument(offsetof(column_forward_args_t, shift)));
    const auto next_weight = [&](const std::optional<vec_t> &to, data_type_t type,
                                     const gpr_t &at) {
        if (!to) return;
        io_.load_broadcast(**to, type, *at);
        add(*at, size_of(type));
    };
    const vec_t value = vec("y");
    const auto &y = *value;
    for_each_step([&] {
        next_weight(scale, spec_.scale_type, r.scale);
        next_weight(shift, spec_.shift_type, r.shift);
        prefetch_next_tile(r.src, spec_.src_type, tile);
        for (int i = 0; i < tile.vectors; ++i) {
            load_src(y, r, i, tile);
            if (!spec_.is_rms) vsubps(y, y, *mean[static_cast<size_t>(i)]);
            vmulps(y, y, *reciprocal[static_cast<size_t>(i)]);
            if (scale && shift)
                vfmadd213ps(y, **scale, **shift);
            else if (scale)
                vmulps(y, y, **scale);
            else if (shift)
                vaddps(y, y, **shift);
            if (src_scale) vmulps(y, y, **src_scale);
            apply_post_ops(y, i, tile);
            if (dst_scale) vdivps(y, y, **dst_scale);
            const int lanes_used = lanes_of(tile, i);
            io_.store(y, spec_.dst_type, at(r.dst, spec_.dst_type, i), lanes_used,
                    lanes_used == lanes() ? how : store_t::ordinary);
        }
        add(*r.src, argument(offsetof(column_forward_args_t, src_step)));
        add(*r.dst, argument(offsetof(column_forward_args_t, dst_step)));
        advance_operands(1);
    });
    advance_operands(-spec_.steps);
    rewind_src(r);
    sub(*r.dst, argument(offsetof(column_forward_args_t, dst_span)));
}

void column_forward_kernel_t::apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile) {
    if (post_ops_.empty()) return;
    const gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, lanes_of(tile, i), [&](int index) {
        const auto [type, per_lane] = operands_[static_cast<size_t>(index)];
        mov(*base, operand_argument(index));
        return per_lane ? at(base, type, i) : Xbyak::RegExp(*base);
    });
}

void column_forward_kernel_t::advance_operands(dim_t steps) {
    for (int i = 0; i < static_cast<int>(operands_.size()); ++i)
        if (const dim_t step = spec_.operand_steps[static_cast<size_t>(i)]; step != 0)
            advance(operand_argument(i), steps * step);
}

void column_forward_kernel_t::next_tile_of_operands(const tile_t &tile) {
    for (int i = 0; i < static_cast<int>(operands_.size()); ++i)
        if (const auto [type, per_lane] = operands_[static_cast<size_t>(i)]; per_lane)
            advance(operand_argument(i), tile.vectors * lanes() * size_of(type));
}

Xbyak::Address column_forward_kernel_t::operand_argument(int index) {
    const size_t offset =
            offsetof(column_forward_args_t, operands) + static_cast<size_t>(index) * sizeof(void *);
    return qword[arguments() + offset];
}

} // namespace kiln::x64::layer_normalization
