// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows.

#include "cpu/x64/normalization/row_backward_kernel.hpp"

#include <cstddef>
#include <optional>

#include "common/data_type.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

constexpr int unroll = 2;
constexpr int cache_line = 64;

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }
bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

} // namespace

std::string row_backward_spec_t::name() const {
    std::string text = is_rms ? "rms_norm_bwd_row" : "layer_norm_bwd_row";
    for (const data_type_t type : {src_type, diff_dst_type})
        text += std::string("_") + dnnl_dt2str(type);
    return text + "_" + isa_name(isa);
}

size_t row_backward_spec_t::non_temporal_alignment() const {
    const size_t lanes = isa == isa_t::avx2 ? 8 : 16;
    return lanes * data_type_size(diff_src_type);
}

/// What one of the rows that go together needs.
struct row_backward_kernel_t::row_t {
    explicit row_t(row_backward_kernel_t &k)
        : src(k.gpr("src"))
        , diff_dst(k.gpr("diff_dst"))
        , r(k.vec("1 / sqrt(variance + epsilon)"))
        , x(k.vec("xhat"))
        , dy(k.vec("diff_dst")) {
        if (!k.spec_.is_rms) mean.emplace(k.vec("mean"));
        if (k.has_sums() && !k.spec_.is_rms) sum_g.emplace(k.vec("sum of g"));
        if (k.has_sums()) sum_gx.emplace(k.vec("sum of g * xhat"));
    }
    gpr_t src, diff_dst;
    vec_t r, x, dy;
    std::optional<vec_t> mean, sum_g, sum_gx;
};

struct row_backward_kernel_t::registers_t {
    explicit registers_t(row_backward_kernel_t &k)
        : diff_src(k.gpr("diff_src"))
        , mean_at(k.gpr("address of mean"))
        , variance_at(k.gpr("address of variance"))
        , weights(k.gpr("scale, then other addresses"))
        , left(k.gpr("rows left"))
        , col(k.gpr("column")) {
        for (int i = 0; i < k.rows_at_once_; ++i) rows.emplace_back(k);
        if (is_used(k.spec_.scale_type)) scale.emplace(k.vec("scale"));
    }
    gpr_t diff_src, mean_at, variance_at, weights, left, col;
    std::vector<row_t> rows;
    std::optional<vec_t> scale;
};

row_backward_kernel_t::row_backward_kernel_t(const row_backward_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , rows_at_once_(spec.has_weight_gradients && is_avx512() ? 2 : 1)
    , io_(*this) {}

void row_backward_kernel_t::generate() {
    registers_t r(*this);
    row_t &first = r.rows.front();
    mov(*first.src, argument(offsetof(row_backward_args_t, src)));
    mov(*first.diff_dst, argument(offsetof(row_backward_args_t, diff_dst)));
    mov(*r.diff_src, argument(offsetof(row_backward_args_t, diff_src)));
    mov(*r.mean_at, argument(offsetof(row_backward_args_t, mean)));
    mov(*r.variance_at, argument(offsetof(row_backward_args_t, variance)));
    mov(*r.left, argument(offsetof(row_backward_args_t, rows)));
    if (const int tail = static_cast<int>(spec_.cols % lanes()); tail != 0) io_.prepare_tail(tail);

    Xbyak::Label together, alone, end;
    if (rows_at_once_ > 1) {
        L(together);
        cmp(*r.left, rows_at_once_);
        jl(alone, T_NEAR);
        write_rows(r, rows_at_once_);
        jmp(together, T_NEAR);
    }
    L(alone);
    test(*r.left, *r.left);
    jz(end, T_NEAR);
    write_rows(r, 1);
    jmp(alone, T_NEAR);
    L(end);
    sfence();
    io_.release();
}

void row_backward_kernel_t::write_rows(registers_t &r, int count) {
    begin_rows(r, count);
    if (has_sums() || spec_.has_weight_gradients) write_sums(r, count);
    Xbyak::Label ordinary, end;
    test(*r.diff_src, *r.diff_src);
    jz(end, T_NEAR);
    cmp(qword[arguments() + offsetof(row_backward_args_t, non_temporal)], 0);
    je(ordinary, T_NEAR);
    write_diff_src(r, count, store_t::non_temporal);
    jmp(end, T_NEAR);
    L(ordinary);
    write_diff_src(r, count, store_t::ordinary);
    L(end);
    next_rows(r, count);
}

void row_backward_kernel_t::begin_rows(registers_t &r, int count) {
    for (int i = 0; i < count; ++i) {
        row_t &row = r.rows[static_cast<size_t>(i)];
        if (i > 0) {
            const row_t &before = r.rows[static_cast<size_t>(i - 1)];
            mov(*row.src, *before.src);
            add(*row.src, argument(offsetof(row_backward_args_t, src_pitch)));
            mov(*row.diff_dst, *before.diff_dst);
            add(*row.diff_dst, argument(offsetof(row_backward_args_t, diff_dst_pitch)));
        }
        if (row.mean) io_.load_broadcast(**row.mean, dnnl_f32, *r.mean_at);
        const auto root = xmm(row.x);
        broadcast(row.x, spec_.epsilon);
        broadcast(row.r, 1.f);
        vaddss(root, root, dword[*r.variance_at]);
        vsqrtss(root, root, root);
        vdivss(xmm(row.r), xmm(row.r), root);
        vbroadcastss(*row.r, xmm(row.r));
        add(*r.mean_at, argument(offsetof(row_backward_args_t, stat_pitch)));
        add(*r.variance_at, argument(offsetof(row_backward_args_t, stat_pitch)));
        if (row.sum_g) set_zero(**row.sum_g);
        if (row.sum_gx) set_zero(**row.sum_gx);
    }
}

void row_backward_kernel_t::load_xhat(registers_t &r, row_t &row, int copy, int count) {
    io_.load(row.x, spec_.src_type, at(r, row.src, spec_.src_type, copy), count);
    if (row.mean) vsubps(*row.x, *row.x, **row.mean);
    vmulps(*row.x, *row.x, *row.r);
    // Lanes beyond the row need no care: diff_dst is 0 there, and so are all products.
    io_.load(row.dy, spec_.diff_dst_type, at(r, row.diff_dst, spec_.diff_dst_type, copy), count);
}

void row_backward_kernel_t::write_sums(registers_t &r, int count) {
    for_each_vector(r, [&](int copy, int lanes_used) {
        for (int i = 0; i < count; ++i)
            load_xhat(r, r.rows[static_cast<size_t>(i)], copy, lanes_used);
        if (spec_.has_weight_gradients) write_weight_gradients(r, count, copy);
        if (!has_sums()) return;
        if (r.scale) {
            mov(*r.weights, argument(offsetof(row_backward_args_t, scale)));
            io_.load(**r.scale, spec_.scale_type, at(r, r.weights, spec_.scale_type, copy),
                    lanes_used);
        }
        for (int i = 0; i < count; ++i) {
            row_t &row = r.rows[static_cast<size_t>(i)];
            if (r.scale) vmulps(*row.dy, *row.dy, **r.scale);
            if (row.sum_g) vaddps(**row.sum_g, **row.sum_g, *row.dy);
            vfmadd231ps(**row.sum_gx, *row.dy, *row.x);
        }
    });
    if (!has_sums()) return;
    for (int i = 0; i < count; ++i) {
        row_t &row = r.rows[static_cast<size_t>(i)];
        for (auto *sum : {&row.sum_g, &row.sum_gx}) {
            if (!*sum) continue;
            jit::reduce_sum(*this, ***sum);
            vdivps(***sum, ***sum, constant(static_cast<float>(spec_.cols)));
        }
    }
}

void row_backward_kernel_t::write_weight_gradients(registers_t &r, int count, int copy) {
    const vec_t gradient = vec("diff_scale or diff_shift");
    const auto add_rows = [&](size_t offset, const std::function<void(row_t &)> &add_row) {
        mov(*r.weights, argument(offset));
        const auto place = ptr[at(r, r.weights, dnnl_f32, copy)];
        vmovups(*gradient, place);
        for (int i = 0; i < count; ++i) add_row(r.rows[static_cast<size_t>(i)]);
        vmovups(place, *gradient);
    };
    add_rows(offsetof(row_backward_args_t, diff_scale),
            [&](row_t &row) { vfmadd231ps(*gradient, *row.dy, *row.x); });
    add_rows(offsetof(row_backward_args_t, diff_shift),
            [&](row_t &row) { vaddps(*gradient, *gradient, *row.dy); });
}

void row_backward_kernel_t::write_diff_src(registers_t &r, int count, store_t how) {
    for (int i = 0; i < count; ++i) {
        row_t &row = r.rows[static_cast<size_t>(i)];
        const gpr_t src_ahead = gpr("row of src to fetch");
        const gpr_t diff_dst_ahead = gpr("row of diff_dst to fetch");
        mov(*src_ahead, *row.src);
        add(*src_ahead, argument(offsetof(row_backward_args_t, src_prefetch_distance)));
        mov(*diff_dst_ahead, *row.diff_dst);
        add(*diff_dst_ahead, argument(offsetof(row_backward_args_t, diff_dst_prefetch_distance)));
        if (r.scale) mov(*r.weights, argument(offsetof(row_backward_args_t, scale)));
        const auto fetch = [&](const gpr_t &ahead, data_type_t type, int copy) {
            if (copy * lanes() * size_of(type) % cache_line == 0)
                prefetcht0(ptr[at(r, ahead, type, copy)]);
        };
        for_each_vector(r, [&](int copy, int lanes_used) {
            fetch(src_ahead, spec_.src_type, copy);
            fetch(diff_dst_ahead, spec_.diff_dst_type, copy);
            const store_t store = lanes_used == lanes() ? how : store_t::ordinary;
            write_diff_src_vector(r, row, copy, lanes_used, store);
        });
        add(*r.diff_src, argument(offsetof(row_backward_args_t, diff_src_pitch)));
    }
}

void row_backward_kernel_t::write_diff_src_vector(
        registers_t &r, row_t &row, int copy, int count, store_t how) {
    load_xhat(r, row, copy, count);
    const auto &result = *row.dy;
    if (r.scale) {
        io_.load(**r.scale, spec_.scale_type, at(r, r.weights, spec_.scale_type, copy), count);
        vmulps(result, result, **r.scale);
    }
    if (row.sum_g) vsubps(result, result, **row.sum_g);
    if (row.sum_gx) vfnmadd231ps(result, *row.x, **row.sum_gx);
    vmulps(result, result, *row.r);
    io_.store(
            result, spec_.diff_src_type, at(r, r.diff_src, spec_.diff_src_type, copy), count, how);
}

void row_backward_kernel_t::next_rows(registers_t &r, int count) {
    row_t &first = r.rows.front();
    const row_t &last = r.rows[static_cast<size_t>(count - 1)];
    mov(*first.src, *last.src);
    add(*first.src, argument(offsetof(row_backward_args_t, src_pitch)));
    mov(*first.diff_dst, *last.diff_dst);
    add(*first.diff_dst, argument(offsetof(row_backward_args_t, diff_dst_pitch)));
    sub(*r.left, count);
}

void row_backward_kernel_t::for_each_vector(registers_t &r, const body_t &body) {
    xor_(*r.col, *r.col);
    repeat(
            spec_.cols / lanes(), unroll, [&](int copy) { body(copy, lanes()); },
            [&](int iterations) { add(*r.col, iterations * lanes()); });
    if (const int tail = static_cast<int>(spec_.cols % lanes()); tail != 0) body(0, tail);
}

Xbyak::RegExp row_backward_kernel_t::at(
        registers_t &r, const Xbyak::Reg64 &base, data_type_t type, int copy) const {
    return base + *r.col * size_of(type) + copy * lanes() * size_of(type);
}

} // namespace kiln::x64::normalization
