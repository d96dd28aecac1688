// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.

#include "cpu/x64/normalization/row_forward_kernel.hpp"

#include <cstddef>

#include "common/data_type.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

constexpr int unroll = 4;
constexpr int cache_line = 64;

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }
bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

} // namespace

std::string row_forward_spec_t::name() const {
    std::string text = is_rms ? "rms_norm_fwd_row" : "layer_norm_fwd_row";
    for (const data_type_t type : {src_type, dst_type})
        text += std::string("_") + dnnl_dt2str(type);
    return text + "_" + isa_name(isa);
}

bool row_forward_spec_t::has_non_temporal_path() const {
    return dst_type == dnnl_f32 || dst_type == dnnl_bf16 || dst_type == dnnl_f16;
}

size_t row_forward_spec_t::non_temporal_alignment() const {
    const size_t lanes = isa == isa_t::avx2 ? 8 : 16;
    return lanes * data_type_size(dst_type);
}

/// Everything a row needs at hand.
struct row_forward_kernel_t::registers_t {
    explicit registers_t(row_forward_kernel_t &k)
        : src(k.gpr("src"))
        , dst(k.gpr("dst"))
        , mean_at(k.gpr("address of mean"))
        , variance_at(k.gpr("address of variance"))
        , scale(k.gpr("scale"))
        , shift(k.gpr("shift"))
        , ahead(k.gpr("row to fetch"))
        , rows(k.gpr("rows left"))
        , col(k.gpr("column"))
        , mean(k.vec("mean"))
        , r(k.vec("1 / sqrt(variance + epsilon)")) {
        for (int i = 0; i < unroll; ++i) sums.push_back(k.vec("sum"));
        for (int i = 0; i < unroll; ++i) values.push_back(k.vec("x"));
        if (k.spec_.has_src_scale) src_scale.emplace(k.vec("src scale"));
        if (k.spec_.has_dst_scale) dst_scale.emplace(k.vec("dst scale"));
    }
    gpr_t src, dst, mean_at, variance_at, scale, shift, ahead, rows, col;
    vec_t mean, r;
    std::vector<vec_t> sums, values;
    std::optional<vec_t> src_scale, dst_scale;
};

row_forward_kernel_t::row_forward_kernel_t(const row_forward_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void row_forward_kernel_t::generate() {
    registers_t r(*this);
    const auto load_argument = [&](const gpr_t &reg, size_t offset) {
        mov(*reg, ptr[arguments() + offset]);
    };
    load_argument(r.src, offsetof(row_forward_args_t, src));
    load_argument(r.dst, offsetof(row_forward_args_t, dst));
    load_argument(r.mean_at, offsetof(row_forward_args_t, mean));
    load_argument(r.variance_at, offsetof(row_forward_args_t, variance));
    load_argument(r.scale, offsetof(row_forward_args_t, scale));
    load_argument(r.shift, offsetof(row_forward_args_t, shift));
    load_argument(r.rows, offsetof(row_forward_args_t, rows));
    const auto load_scale = [&](std::optional<vec_t> &vec, size_t offset) {
        if (!vec) return;
        mov(*r.col, ptr[arguments() + offset]);
        io_.load_broadcast(**vec, dnnl_f32, *r.col);
    };
    load_scale(r.src_scale, offsetof(row_forward_args_t, src_scale));
    load_scale(r.dst_scale, offsetof(row_forward_args_t, dst_scale));
    const int tail = static_cast<int>(spec_.cols % lanes());
    if (tail != 0) io_.prepare_tail(tail);

    Xbyak::Label ordinary, end;
    const auto rows_with = [&](store_t how) {
        Xbyak::Label again;
        L(again);
        write_row(r, how);
        next_row(r);
        jnz(again, T_NEAR);
    };
    if (spec_.has_non_temporal_path()) {
        cmp(qword[arguments() + offsetof(row_forward_args_t, non_temporal)], 0);
        je(ordinary, T_NEAR);
        rows_with(store_t::non_temporal);
        sfence();
        jmp(end, T_NEAR);
    }
    L(ordinary);
    rows_with(store_t::ordinary);
    L(end);
    io_.release();
}

void row_forward_kernel_t::write_row(registers_t &r, store_t how) {
    if (spec_.statistics == statistics_t::given) {
        read_statistics(r);
    } else {
        if (!spec_.is_rms) write_mean(r);
        write_variance(r);
        if (spec_.statistics == statistics_t::computed_and_stored) store_statistics(r);
    }
    write_reciprocal(r);
    mov(*r.ahead, *r.src);
    add(*r.ahead, ptr[arguments() + offsetof(row_forward_args_t, prefetch_distance)]);
    write_result(r, how);
}

void row_forward_kernel_t::write_mean(registers_t &r) {
    for (const vec_t &sum : r.sums) set_zero(sum);
    for_each_vector(r, [&](int copy, int count) {
        const auto &x = *r.values[static_cast<size_t>(copy)];
        const auto &sum = *r.sums[static_cast<size_t>(copy)];
        io_.load(x, spec_.src_type, at(r, r.src, spec_.src_type, copy), count);
        vaddps(sum, sum, x);
    });
    add_up(r.sums);
    vdivps(*r.mean, *r.sums.front(), cols());
}

void row_forward_kernel_t::write_variance(registers_t &r) {
    for (const vec_t &sum : r.sums) set_zero(sum);
    std::vector<vec_t> deviations;
    for (int i = 0; i < 2 && !spec_.is_rms; ++i) deviations.push_back(vec("deviation"));
    for (const vec_t &deviation : deviations) set_zero(deviation);
    for_each_vector(r, [&](int copy, int count) {
        const auto index = static_cast<size_t>(copy);
        const auto &x = *r.values[index];
        io_.load(x, spec_.src_type, at(r, r.src, spec_.src_type, copy), count);
        if (!spec_.is_rms) {
            vsubps(x, x, *r.mean);
            keep_lanes(x, count); // 0 - mean is no deviation
            vaddps(*deviations[index % 2], *deviations[index % 2], x);
        }
        vfmadd231ps(*r.sums[index], x, x);
    });
    add_up(r.sums);
    if (!spec_.is_rms) correct_for_rounded_mean(r, deviations);
    vdivps(*r.sums.front(), *r.sums.front(), cols());
}

void row_forward_kernel_t::correct_for_rounded_mean(
        registers_t &r, const std::vector<vec_t> &deviations) {
    // The mean was rounded to a float, so deviations from it sum to D instead of 0, and the squares
    // are D * D / C too large.
    add_up(deviations);
    vdivps(*deviations[1], *deviations[0], cols());
    vfnmadd231ps(*r.sums.front(), *deviations[0], *deviations[1]);
}

void row_forward_kernel_t::store_statistics(registers_t &r) {
    if (!spec_.is_rms) vmovss(ptr[*r.mean_at], xmm(r.mean));
    vmovss(ptr[*r.variance_at], xmm(r.sums.front()));
}

void row_forward_kernel_t::add_up(const std::vector<vec_t> &sums) {
    for (size_t step = 1; step < sums.size(); step *= 2)
        for (size_t i = 0; i + step < sums.size(); i += 2 * step)
            vaddps(*sums[i], *sums[i], *sums[i + step]);
    jit::reduce_sum(*this, *sums[0]);
}

Xbyak::Address row_forward_kernel_t::cols() { return constant(static_cast<float>(spec_.cols)); }

void row_forward_kernel_t::read_statistics(registers_t &r) {
    if (!spec_.is_rms) io_.load_broadcast(r.mean, dnnl_f32, *r.mean_at);
    io_.load_broadcast(r.sums.front(), dnnl_f32, *r.variance_at);
}

void row_forward_kernel_t::write_reciprocal(registers_t &r) {
    const auto variance = xmm(r.sums.front());
    const auto root = xmm(r.sums[1]);
    const auto one = xmm(r.r);
    broadcast(r.r, 1.f);
    broadcast(r.sums[1], spec_.epsilon);
    vaddss(root, variance, root);
    vsqrtss(root, root, root);
    vdivss(one, one, root);
    vbroadcastss(*r.r, one);
}

void row_forward_kernel_t::write_result(registers_t &r, store_t how) {
    const auto &scale = *r.sums[0]; // the accumulators are free by now
    const auto &shift = *r.sums[1];
    for_each_vector(r, [&](int copy, int count) {
        const auto &y = *r.values[static_cast<size_t>(copy)];
        io_.load(y, spec_.src_type, at(r, r.src, spec_.src_type, copy), count);
        prefetch(r, copy);
        if (!spec_.is_rms) vsubps(y, y, *r.mean);
        vmulps(y, y, *r.r);
        if (is_used(spec_.scale_type))
            io_.load(scale, spec_.scale_type, at(r, r.scale, spec_.scale_type, copy), count);
        if (is_used(spec_.shift_type))
            io_.load(shift, spec_.shift_type, at(r, r.shift, spec_.shift_type, copy), count);
        if (is_used(spec_.scale_type) && is_used(spec_.shift_type))
            vfmadd213ps(y, scale, shift);
        else if (is_used(spec_.scale_type))
            vmulps(y, y, scale);
        else if (is_used(spec_.shift_type))
            vaddps(y, y, shift);
        if (r.src_scale) vmulps(y, y, **r.src_scale);
        if (r.dst_scale) vdivps(y, y, **r.dst_scale);
        const store_t store = count == lanes() ? how : store_t::ordinary;
        io_.store(y, spec_.dst_type, at(r, r.dst, spec_.dst_type, copy), count, store);
    });
}

void row_forward_kernel_t::prefetch(registers_t &r, int copy) {
    // Once a cache line, at the vector that begins it.
    const int vector_size = lanes() * size_of(spec_.src_type);
    if (copy * vector_size % cache_line == 0) prefetcht0(ptr[at(r, r.ahead, spec_.src_type, copy)]);
}

void row_forward_kernel_t::next_row(registers_t &r) {
    add(*r.src, ptr[arguments() + offsetof(row_forward_args_t, src_pitch)]);
    add(*r.dst, ptr[arguments() + offsetof(row_forward_args_t, dst_pitch)]);
    add(*r.mean_at, ptr[arguments() + offsetof(row_forward_args_t, stat_pitch)]);
    add(*r.variance_at, ptr[arguments() + offsetof(row_forward_args_t, stat_pitch)]);
    dec(*r.rows);
}

void row_forward_kernel_t::for_each_vector(registers_t &r, const body_t &body) {
    xor_(*r.col, *r.col);
    repeat(
            spec_.cols / lanes(), unroll, [&](int copy) { body(copy, lanes()); },
            [&](int iterations) { add(*r.col, iterations * lanes()); });
    if (const int tail = static_cast<int>(spec_.cols % lanes()); tail != 0) body(0, tail);
}

Xbyak::RegExp row_forward_kernel_t::at(
        registers_t &r, const Xbyak::Reg64 &base, data_type_t type, int copy) const {
    return base + *r.col * size_of(type) + copy * lanes() * size_of(type);
}

} // namespace kiln::x64::normalization
