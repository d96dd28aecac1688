// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax backward on rows.

#include "cpu/x64/softmax/row_backward_kernel.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::softmax {

namespace {

constexpr int vectors_of_tile = 4;
constexpr size_t held_operands = 3; // dst, diff_dst, diff_src

} // namespace

row_backward_kernel_t::row_backward_kernel_t(const backward_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name("row"), spec.line, vectors_of_tile,
            elements_of(spec.types, held_operands), {}, held_operands, spec.vectors())
    , spec_(spec) {}

void row_backward_kernel_t::write_row() {
    if (spec_.stage == stage_t::whole && spec_.is_in_registers()) return write_row_in_registers();
    const vec_t sum = vec("sum");
    if (spec_.stage == stage_t::result)
        load(sum, spec_t::sum, 0, lanes());
    else
        find_sum(sum);
    if (spec_.stage == stage_t::chunk)
        io_.store_scalar(sum, dnnl_f32, at(spec_t::sum, 0));
    else
        store_results(sum);
}

void row_backward_kernel_t::write_row_in_registers() {
    const tile_t row = whole_line();
    const vecs_t y = vecs("dst", row), gradients = vecs("diff_dst", row);
    const vecs_t sums = vecs("sum", {std::min(row.vectors, 2), lanes()});
    for (size_t i = 0; i < y.size(); ++i) {
        const int vector = static_cast<int>(i), count = lanes_of(row, vector);
        load(y[i], spec_t::dst, vector, count);
        load(gradients[i], spec_t::diff_dst, vector, count);
        const Xmm &sum = *sums[i % sums.size()];
        const bool is_first = i < sums.size();
        if (spec_.is_log)
            is_first ? vmovups(sum, *gradients[i]) : vaddps(sum, sum, *gradients[i]);
        else
            is_first ? vmulps(sum, *y[i], *gradients[i]) : vfmadd231ps(sum, *y[i], *gradients[i]);
    }
    if (sums.size() > 1) vaddps(*sums[0], *sums[0], *sums[1]);
    jit::reduce_sum(*this, sums[0]);
    for (size_t i = 0; i < y.size(); ++i) {
        const int vector = static_cast<int>(i), count = lanes_of(row, vector);
        find_gradient(*this, gradients[i], y[i], sums[0], spec_.is_log);
        store(gradients[i], spec_t::diff_src, vector, count, spec_.is_non_temporal);
    }
}

void row_backward_kernel_t::find_sum(const Xmm &sum) {
    vecs_t sums;
    for (int i = 0; i < vectors_of_tile; ++i) set_zero(sums.emplace_back(vec("sum")));
    std::optional<vec_t> ones; // as bf16, two in a lane
    if (are_paired() && spec_.is_log && has(feature_t::avx512_bf16))
        broadcast(ones.emplace(vec("ones")), std::bit_cast<float>(0x3f803f80u));
    for_each_tile_of_row([&](const tile_t &tile) {
        const vec_t y = vec("dst"), gradient = vec("diff_dst");
        for (int i = 0; i < tile.vectors; ++i) {
            const Xmm &of_vector = *sums[i];
            const int count = lanes_of(tile, i);
            if (are_paired()) {
                add_pair(of_vector, i, count, ones);
                continue;
            }
            load(gradient, spec_t::diff_dst, i, count);
            if (spec_.is_log) {
                vaddps(of_vector, of_vector, *gradient);
            } else {
                load(y, spec_t::dst, i, count);
                vfmadd231ps(of_vector, *y, *gradient);
            }
        }
    });
    vaddps(*sums[0], *sums[0], *sums[1]);
    vaddps(*sums[2], *sums[2], *sums[3]);
    vaddps(sum, *sums[0], *sums[2]);
    jit::reduce_sum(*this, sum);
}

void row_backward_kernel_t::add_pair(
        const Xmm &sum, int pair, int count, const std::optional<vec_t> &ones) {
    const vec_t gradient = vec("even diff_dst"), y = vec("even dst");
    if (has(feature_t::avx512_bf16)) {
        pairs().load_packed(gradient, at(spec_t::diff_dst, pair), count);
        if (!ones) pairs().load_packed(y, at(spec_t::dst, pair), count);
        return vdpbf16ps(sum, gradient, ones ? **ones : *y);
    }
    const vec_t odd_gradient = vec("odd diff_dst"), odd_y = vec("odd dst");
    pairs().load(gradient, odd_gradient, at(spec_t::diff_dst, pair), count);
    if (spec_.is_log) {
        vaddps(sum, sum, *gradient);
        vaddps(sum, sum, *odd_gradient);
    } else {
        pairs().load(y, odd_y, at(spec_t::dst, pair), count);
        vfmadd231ps(sum, *y, *gradient);
        vfmadd231ps(sum, *odd_y, *odd_gradient);
    }
}

void row_backward_kernel_t::store_results(const Xmm &sum) {
    begin_row();
    if (spec_.is_shifted && spec_.is_non_temporal) return store_shifted_results(sum);
    next_rows_t next(*this, spec_.fetches_next_row && spec_.stage == stage_t::whole,
            {spec_t::dst, spec_t::diff_dst});
    for_each_tile_of_row([&](const tile_t &tile) {
        next.prefetch(tile);
        for (int i = 0; i < tile.vectors; ++i) write_vector(sum, i, lanes_of(tile, i));
    });
}

void row_backward_kernel_t::store_shifted_results(const Xmm &sum) {
    next_rows_t next(*this, spec_.fetches_next_row, {spec_t::dst, spec_t::diff_dst});
    {
        const gpr_t front = gpr("elements in front of a cache line");
        find_front(*front, row_of(spec_t::diff_src), spec_t::diff_src);
        write_part(sum, *front);
    }
    Xbyak::Label again, rest;
    L(again);
    cmp(left(), elements());
    jl(rest, T_NEAR);
    next.prefetch({1, elements()});
    write_vector(sum, 0, elements());
    add(column(), elements());
    sub(left(), elements());
    jmp(again, T_NEAR);
    L(rest);
    write_part(sum, left());
}

void row_backward_kernel_t::write_part(const Xmm &sum, const Reg64 &count) {
    const mask_t part = mask("part");
    are_paired() ? write_part_of_pair(sum, count, *part) : write_part_of_vector(sum, count, *part);
    add(column(), count);
    sub(left(), count);
}

void row_backward_kernel_t::write_part_of_vector(
        const Xmm &sum, const Reg64 &count, const Xbyak::Opmask &part) {
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    set_first_lanes(part, count);
    vmovups(zmm(y) | part | T_z, ptr[at(spec_t::dst, 0)]);
    vmovups(zmm(gradient) | part | T_z, ptr[at(spec_t::diff_dst, 0)]);
    find_gradient(*this, gradient, y, sum, spec_.is_log);
    vmovups(ptr[at(spec_t::diff_src, 0)] | part, zmm(gradient));
}

void row_backward_kernel_t::write_part_of_pair(
        const Xmm &sum, const Reg64 &count, const Xbyak::Opmask &part) {
    const vec_t y = vec("even dst"), odd_y = vec("odd dst");
    const vec_t gradient = vec("even diff_dst"), odd_gradient = vec("odd diff_dst");
    const auto numbers = [](uint32_t lane) { return 2 * lane | (2 * lane + 1) << 16; };
    vpbroadcastw(zmm(y), count.cvt16());
    vpcmpgtw(part, zmm(y), constant_lanes(numbers));
    pairs().load_part(y, odd_y, at(spec_t::dst, 0), part);
    pairs().load_part(gradient, odd_gradient, at(spec_t::diff_dst, 0), part);
    find_gradient(*this, gradient, y, sum, spec_.is_log);
    find_gradient(*this, odd_gradient, odd_y, sum, spec_.is_log);
    pairs().store_part(gradient, odd_gradient, at(spec_t::diff_src, 0), part);
}

void row_backward_kernel_t::write_vector(const Xmm &sum, int vector, int count) {
    if (are_paired()) return write_pair(sum, vector, count);
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    load(y, spec_t::dst, vector, count);
    load(gradient, spec_t::diff_dst, vector, count);
    find_gradient(*this, gradient, y, sum, spec_.is_log);
    store(gradient, spec_t::diff_src, vector, count, spec_.is_non_temporal);
}

void row_backward_kernel_t::write_pair(const Xmm &sum, int vector, int count) {
    const vec_t y = vec("even dst"), odd_y = vec("odd dst");
    const vec_t gradient = vec("even diff_dst"), odd_gradient = vec("odd diff_dst");
    pairs().load(y, odd_y, at(spec_t::dst, vector), count);
    pairs().load(gradient, odd_gradient, at(spec_t::diff_dst, vector), count);
    find_gradient(*this, gradient, y, sum, spec_.is_log);
    find_gradient(*this, odd_gradient, odd_y, sum, spec_.is_log);
    pairs().store(gradient, odd_gradient, at(spec_t::diff_src, vector), count,
            store_of(count, spec_.is_non_temporal));
}

} // namespace kiln::x64::softmax
