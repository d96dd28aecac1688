// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.

#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"

#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

std::string column_forward_spec_t::name() const {
    return jit::kernel_name(
            is_rms ? "rms_norm_fwd_column" : "layer_norm_fwd_column", {type(src), type(dst)}, isa);
}

bool column_forward_spec_t::has_non_temporal_path() const { return size(dst) > 1; }

column_forward_kernel_t::column_forward_kernel_t(const column_forward_spec_t &spec)
    : column_kernel_t(spec, spec.name(),
            x64::tile_vectors(spec.isa, !spec.post_ops.empty(), spec.line), stepped_count,
            held_count)
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {}

void column_forward_kernel_t::generate() {
    for_each_tile_of_line([&](const tile_t &tile) {
        write_tile(tile);
        next_tile_of_operands(tile);
    });
}

void column_forward_kernel_t::write_tile(const tile_t &tile) {
    const tile_t no_vectors{0, 0};
    const vecs_t means = vecs("mean", spec_.is_rms ? no_vectors : tile);
    const vecs_t variances = vecs("variance, then 1 / sqrt(variance + epsilon)", tile);
    if (spec_.statistics == statistics_t::given) {
        load_all(means, mean, tile);
        load_all(variances, variance, tile);
    } else {
        if (!spec_.is_rms) write_mean(means, tile);
        write_variance(means, variances, tile);
        if (spec_.statistics == statistics_t::computed_and_stored) {
            store_all(means, mean, tile);
            store_all(variances, variance, tile);
        }
    }
    write_reciprocals(variances, spec_.epsilon, tile);
    if (!spec_.has_non_temporal_path())
        return write_result(means, variances, tile, store_t::ordinary);
    for_each_store([&](store_t how) { write_result(means, variances, tile, how); });
}

void column_forward_kernel_t::write_mean(const vecs_t &means, const tile_t &tile) {
    const vec_t x = vec("x");
    sum_over_steps({&means}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const auto &sum = *means[static_cast<size_t>(i)];
            load(x, src, i, tile);
            vaddps(sum, sum, *x);
        }
        next_step(src);
    });
    for (const vec_t &sum : means) divide_by_steps(sum);
    rewind(src);
}

void column_forward_kernel_t::write_variance(
        const vecs_t &means, const vecs_t &variances, const tile_t &tile) {
    const vec_t x = vec("x");
    const tile_t no_vectors{0, 0};
    const vecs_t deviations = vecs("sum of deviations", spec_.is_rms ? no_vectors : tile);
    sum_over_steps({&variances, &deviations}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const auto index = static_cast<size_t>(i);
            load(x, src, i, tile);
            if (!spec_.is_rms) {
                vsubps(*x, *x, *means[index]);
                vaddps(*deviations[index], *deviations[index], *x);
            }
            vfmadd231ps(*variances[index], *x, *x);
        }
        next_step(src);
    });
    for (int i = 0; i < tile.vectors; ++i) {
        const auto index = static_cast<size_t>(i);
        if (!spec_.is_rms) {
            vmovups(*x, *deviations[index]);
            divide_by_steps(x);
            vfnmadd231ps(*variances[index], *deviations[index], *x);
        }
        divide_by_steps(variances[index]);
    }
    rewind(src);
}

std::optional<vec_t> column_forward_kernel_t::load_scalar(size_t scalar) {
    if (!spec_.has(scalar)) return std::nullopt;
    std::optional<vec_t> value(vec("scale of quantization"));
    const gpr_t at = gpr("address of a scale");
    mov(*at, operand_argument(scalar));
    io_.load_broadcast(*value, spec_.type(scalar), *at);
    return value;
}

void column_forward_kernel_t::write_result(
        const vecs_t &means, const vecs_t &reciprocals, const tile_t &tile, store_t how) {
    const auto src_factor = load_scalar(src_scale), dst_divisor = load_scalar(dst_scale);
    const auto factor = weight(scale), offset = weight(shift);
    const vec_t value = vec("y");
    const auto &y = *value;
    for_each_step([&] {
        load_next(factor);
        load_next(offset);
        prefetch_next_tile(src, tile);
        for (int i = 0; i < tile.vectors; ++i) {
            load(y, src, i, tile);
            if (!spec_.is_rms) vsubps(y, y, *means[static_cast<size_t>(i)]);
            vmulps(y, y, *reciprocals[static_cast<size_t>(i)]);
            if (factor && offset)
                vfmadd213ps(y, *factor->value, *offset->value);
            else if (factor)
                vmulps(y, y, *factor->value);
            else if (offset)
                vaddps(y, y, *offset->value);
            if (src_factor) vmulps(y, y, **src_factor);
            apply_post_ops(y, i, tile);
            if (dst_divisor) vdivps(y, y, **dst_divisor);
            store(y, dst, i, tile, how);
        }
        next_step(src);
        next_step(dst);
        advance_operands(1);
    });
    advance_operands(-spec_.steps);
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
