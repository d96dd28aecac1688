// SPDX-License-Identifier: Apache-2.0
// The kernels of both sweeps over channels, forward and backward.

#include "cpu/x64/channel_normalization/channel_normalization_kernel.hpp"

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::channel_normalization {

namespace {

namespace fwd = forward_operand;
namespace bwd = backward_operand;
using enum channel_work_t;

bool makes_sums(channel_work_t work) { return work == moments || work == gradient_sums; }

int values_of(const channel_spec_t &spec) {
    if (makes_sums(spec.work)) return 1;
    return spec.work == backward || spec.has_divisor ? channel_value::count
                                                     : channel_value::divisor;
}

} // namespace

std::string channel_spec_t::name() const {
    const auto named = [&](const char *what, std::initializer_list<data_type_t> types) {
        return jit::kernel_name(
                std::string("channel_") + what + "_" + name_of(walk.rows), types, walk.isa);
    };
    const auto type = [&](size_t operand) { return operands[operand].type; };
    switch (work) {
    case moments: return named("moments", {type(fwd::src)});
    case forward: return named("forward", {type(fwd::src), type(fwd::dst)});
    case gradient_sums: return named("gradient_sums", {type(bwd::diff_dst), type(bwd::src)});
    default: break;
    }
    const bool has_diff_src = operands[bwd::diff_src].is_present();
    return named("backward",
            {type(bwd::diff_dst), type(has_diff_src ? bwd::diff_src : bwd::diff_src_1)});
}

channel_normalization_kernel_t::channel_normalization_kernel_t(const channel_spec_t &spec)
    : channel_kernel_t(spec.walk, spec.name(), spec.operands, values_of(spec),
            makes_sums(spec.work) ? 2 : 0, !makes_sums(spec.work), spec.post_ops)
    , spec_(spec) {}

bool channel_normalization_kernel_t::may_be_bounded() const {
    return spec_.work == forward && type_of(fwd::src) == dnnl_s8 && type_of(fwd::dst) == dnnl_s8
           && !has(fwd::src_1) && !has(fwd::relu_mask) && !spec_.has_divisor
           && spec_.post_ops.empty();
}

void channel_normalization_kernel_t::choose_form(
        const tile_t &tile, const function_ref_t<void()> &write) {
    if (!may_be_bounded()) return write();
    const auto fold_center = [&](const Xmm &shift, int i) {
        vfnmadd231ps(shift, value(channel_value::center, i), value(channel_value::factor, i));
    };
    Xbyak::Label bounded, end;
    {
        jit::lane_condition_t unbounded(*this);
        const vec_t shift = vec("shift - center * factor");
        for (int i = 0; i < tile.vectors; ++i) {
            vmovups(*shift, value(channel_value::shift, i));
            fold_center(*shift, i);
            add_unbounded(*this, unbounded, value(channel_value::factor, i), *shift);
        }
        unbounded.jump_if_none(bounded);
    }
    write();
    jmp(end, T_NEAR);
    L(bounded);
    for (int i = 0; i < tile.vectors; ++i) fold_center(value(channel_value::shift, i), i);
    results_ = results_t::bounded;
    write();
    results_ = results_t::any;
    L(end);
}

void channel_normalization_kernel_t::visit(const tile_t &tile) {
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        switch (spec_.work) {
        case moments: add_moments(i, count); break;
        case forward: write_dst(i, count); break;
        case gradient_sums: add_gradients(i, count); break;
        case backward: write_gradients(i, count); break;
        }
    }
}

void channel_normalization_kernel_t::add_moments(int i, int count) {
    const vec_t x = vec("x - K");
    load_from_memory(x, fwd::src, i, count);
    vsubps(*x, *x, value(channel_value::center, i));
    if (is_planes()) keep_lanes(x, count); // lanes without an element would add -K
    vaddps(sum(0, i), sum(0, i), *x);
    vfmadd231ps(sum(1, i), *x, *x);
}

void channel_normalization_kernel_t::write_dst(int i, int count) {
    const vec_t y = vec("y");
    load_from_memory(y, fwd::src, i, count);
    if (results_ == results_t::any) vsubps(*y, *y, value(channel_value::center, i));
    vfmadd213ps(*y, value(channel_value::factor, i), value(channel_value::shift, i));
    if (has(fwd::src_1)) {
        const vec_t other = vec("src_1");
        load_from_memory(other, fwd::src_1, i, count);
        vaddps(*y, *y, *other);
    }
    if (spec_.has_relu && results_ == results_t::bounded) {
        vmaxps(*y, *y, constant(0.f));
    } else if (spec_.has_relu) {
        const jit::lane_condition_t passes = jit::relu(*this, y);
        if (has(fwd::relu_mask)) passes.store_bits(at(fwd::relu_mask, i), count);
    }
    apply_post_ops(y, i, count);
    if (spec_.has_divisor) vdivps(*y, *y, value(channel_value::divisor, i));
    store(y, fwd::dst, i, count);
}

/// Lanes from `count` on are 0, so they add 0 to the sums.
void channel_normalization_kernel_t::load_gradient(
        const Xmm &dy, int i, int count, const Xmm &scratch) {
    load_from_memory(dy, bwd::diff_dst, i, count);
    if (has(bwd::relu)) keep_passed(dy, bwd::relu, i, count, scratch);
}

void channel_normalization_kernel_t::add_gradients(int i, int count) {
    const vec_t x = vec("x - mean"), dy = vec("diff_dst");
    load_gradient(dy, i, count, x);
    load_from_memory(x, bwd::src, i, count);
    vsubps(*x, *x, value(channel_value::center, i));
    vaddps(sum(0, i), sum(0, i), *dy);
    vfmadd231ps(sum(1, i), *dy, *x);
}

void channel_normalization_kernel_t::write_gradients(int i, int count) {
    const vec_t dy = vec("diff_dst"), x = vec("x - mean");
    load_gradient(dy, i, count, x);
    if (has(bwd::diff_src_1))
        io_.store(dy, type_of(bwd::diff_src_1), at(bwd::diff_src_1, i), count);
    if (!has(bwd::diff_src)) return;
    if (has(bwd::src)) {
        load_from_memory(x, bwd::src, i, count);
        vsubps(*x, *x, value(channel_value::center, i));
        vfmadd213ps(*dy, value(channel_value::factor, i), value(channel_value::offset, i));
        vfmadd231ps(*dy, *x, value(channel_value::slope, i));
    } else {
        vmulps(*dy, *dy, value(channel_value::factor, i));
    }
    store(dy, bwd::diff_src, i, count);
}

void channel_normalization_kernel_t::store(const Xmm &y, size_t operand, int i, int count) {
    const jit::store_t how = store_of(count, spec_.is_non_temporal);
    if (results_ == results_t::bounded)
        io_.store_bounded(y, at(operand, i), count, how);
    else
        io_.store(y, type_of(operand), at(operand, i), count, how);
}

} // namespace kiln::x64::channel_normalization
