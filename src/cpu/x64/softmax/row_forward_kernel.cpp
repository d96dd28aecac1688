// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax forward on rows.

#include "cpu/x64/softmax/row_forward_kernel.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/functions.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::softmax {

using jit::infinity;

namespace {

constexpr size_t held_operands = 3; // src, dst, interim
static_assert(forward_spec_t::first_post_op == most_operands);

} // namespace

row_forward_kernel_t::row_forward_kernel_t(const forward_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name("row"), spec.line, vectors_of_tile,
            elements_of(spec.types, held_operands), spec.post_ops, held_operands)
    , spec_(spec) {}

size_t row_forward_kernel_t::interim_bytes(const forward_spec_t &spec) {
    if (!spec.keeps_line() || spec.kept() == spec_t::dst) return 0;
    // Shifted results are made of two vectors, of which the second one may begin behind the row.
    constexpr size_t two_vectors = 2 * cache_line_bytes;
    return round_up<size_t>(static_cast<size_t>(spec.line) * sizeof(float), cache_line_bytes)
           + (spec.is_shifted ? two_vectors : 0);
}

void row_forward_kernel_t::write_rows() {
    if (spec_.stage != stage_t::result) exp_.emplace(*this);
    load_scale(src_scale_, spec_t::src_scale);
    load_scale(dst_scale_, spec_t::dst_scale);
    if (dst_scale_ && !scales_sum()) {
        divisor_.emplace(*this, **dst_scale_);
        dst_scale_.reset();
    }
    spec_.is_delayed() ? write_delayed_rows() : for_each_row();
    exp_.reset();
    src_scale_.reset();
    dst_scale_.reset();
    divisor_.reset();
}

void row_forward_kernel_t::load_scale(std::optional<vec_t> &scale, size_t operand) {
    if (spec_.has(operand)) load(scale.emplace(vec("scale")), operand, 0, lanes());
}

void row_forward_kernel_t::write_row() {
    if (spec_.stage == stage_t::chunk) return write_chunk();
    if (spec_.stage == stage_t::result) return write_result();
    if (spec_.is_in_registers()) return write_row_in_registers();
    const vec_t maximum = vec("maximum");
    find_maximum(maximum);
    const vec_t sum = sum_exponentials(maximum);
    finish_sum(sum, maximum);
    store_results(maximum, sum);
}

void row_forward_kernel_t::write_chunk() {
    const vec_t maximum = vec("maximum");
    find_maximum(maximum);
    const vec_t sum = sum_exponentials(maximum);
    io_.store_scalar(maximum, dnnl_f32, at(spec_t::maximum, 0));
    io_.store_scalar(sum, dnnl_f32, at(spec_t::sum, 0));
}

void row_forward_kernel_t::write_result() {
    const vec_t maximum = vec("maximum"), sum = vec("sum");
    if (spec_.is_log) load(maximum, spec_t::maximum, 0, lanes());
    load(sum, spec_t::sum, 0, lanes());
    store_results(maximum, sum);
}

void row_forward_kernel_t::write_row_in_registers() {
    const tile_t row = whole_line();
    const int vectors = row.vectors;
    next_rows(spec_.is_non_temporal).prefetch(row);
    const vecs_t x = vecs("x", row);
    for (int i = 0; i < vectors; ++i) load_src(x[i], i, lanes_of(row, i));
    const vec_t maximum = vec("maximum");
    vmovups(maximum, *x[0]);
    for (size_t i = 1; i < x.size(); ++i) vmaxps(maximum, maximum, *x[i]);
    finish_maximum(maximum);
    const vecs_t sums = vecs("sum", {std::min(vectors, 2), lanes()});
    for (size_t i = 0; i < x.size(); ++i) {
        const Xmm &sum = *sums[i % sums.size()];
        vsubps(*x[i], *x[i], *maximum);
        std::optional<vec_t> copy;
        if (spec_.is_log) vmovups(copy.emplace(vec("exponential")), *x[i]);
        const Xmm &e = copy ? **copy : *x[i];
        exp_->apply(e);
        i < sums.size() ? vmovups(sum, e) : vaddps(sum, sum, e);
    }
    if (sums.size() > 1) vaddps(*sums[0], *sums[0], *sums[1]);
    jit::reduce_sum(*this, sums[0]);
    finish_sum(sums[0], maximum);
    for (int i = 0; i < vectors; ++i) {
        const Xmm &y = *x[i];
        spec_.is_log ? vsubps(y, y, *sums[0]) : vmulps(y, y, *sums[0]);
        store_result(y, i, lanes_of(row, i), at(spec_t::dst, i));
    }
}

row_forward_kernel_t::next_rows_t row_forward_kernel_t::next_rows(bool are_fetched) {
    const bool pays = are_fetched && spec_.stage == stage_t::whole;
    return {*this, pays, {spec_t::src}, static_cast<int>(page_bytes)};
}

void row_forward_kernel_t::load_src(const Xmm &x, int vector, int count) {
    load(x, spec_t::src, vector, count);
    if (spec_.pre_ops != 0) apply_post_ops(x, vector, count, {}, {0, spec_.pre_ops});
    fill_rest(x, count);
}

void row_forward_kernel_t::load_again(const Xmm &x, int vector, int count) {
    if (spec_.pre_ops == 0) return load_src(x, vector, count);
    load(x, spec_.kept(), vector, count);
    fill_rest(x, count);
}

void row_forward_kernel_t::fill_rest(const Xmm &x, int count) {
    if (count == lanes()) return;
    vandps(x, x, constant_lanes(count, ~0u));
    vorps(x, x, constant_lanes(count, 0, std::bit_cast<uint32_t>(-infinity)));
}

void row_forward_kernel_t::keep(const Xmm &x, int vector, int count) {
    // The interim row has room for whole vectors, which the processor can load again at once.
    const bool is_interim = spec_.kept() == spec_t::interim;
    io_.store(x, dnnl_f32, at(spec_.kept(), vector), is_interim ? lanes() : count);
}

void row_forward_kernel_t::find_maximum(const vec_t &maximum) {
    vecs_t maxima;
    for (int i = 0; i < vectors_of_tile; ++i) {
        broadcast(maxima.emplace_back(vec("maximum")), -infinity);
    }
    {
        const vec_t x = vec("x");
        for_each_tile_of_row([&](const tile_t &tile) {
            for (int i = 0; i < tile.vectors; ++i) {
                load_src(x, i, lanes_of(tile, i));
                if (spec_.pre_ops != 0) keep(x, i, lanes_of(tile, i));
                const Xmm &greatest = *maxima[i];
                vmaxps(greatest, greatest, *x);
            }
        });
    }
    combine_maxima(maxima);
    vmovups(maximum, *maxima[0]);
}

void row_forward_kernel_t::combine_maxima(const vecs_t &maxima) {
    for (size_t i = 1; i < maxima.size(); ++i) vmaxps(*maxima[0], *maxima[0], *maxima[i]);
    finish_maximum(maxima[0]);
}

void row_forward_kernel_t::finish_maximum(const vec_t &maximum) {
    jit::reduce_max(*this, maximum);
    if (spec_.is_inf_zero || spec_.stage == stage_t::chunk)
        vmaxps(maximum, maximum, constant(-std::numeric_limits<float>::max()));
}

jit::vec_t row_forward_kernel_t::sum_exponentials(const Xmm &maximum, delayed_row_t *before) {
    vecs_t sums;
    for (int i = 0; i < vectors_of_tile; ++i) set_zero(sums.emplace_back(vec("sum")));
    begin_row();
    const next_rows_t next = next_rows(before != nullptr || spec_.fetches_next_row);
    const auto write_tile = [&](const tile_t &tile) {
        const vec_t x = vec("x");
        next.prefetch(tile);
        for (int i = 0; i < tile.vectors; ++i) {
            // A load waits for an earlier store to the same place of another page, as dst's may be.
            load_again(x, i, lanes_of(tile, i));
            if (before != nullptr) store_delayed_result(*before, i, lanes_of(tile, i));
            vsubps(*x, *x, maximum);
            exp_->apply(x);
            const Xmm &sum = *sums[i];
            vaddps(sum, sum, *x);
            if (!spec_.is_log) keep(x, i, lanes_of(tile, i));
        }
    };
    if (before != nullptr && spec_.is_shifted) {
        for_each_tile_of_both(*before, write_tile);
        before = nullptr;
    }
    for_each_tile_of_row(write_tile);
    vaddps(*sums[0], *sums[0], *sums[1]);
    vaddps(*sums[2], *sums[2], *sums[3]);
    vaddps(*sums[0], *sums[0], *sums[2]);
    jit::reduce_sum(*this, sums[0]);
    return std::move(sums[0]);
}

void row_forward_kernel_t::finish_sum(const Xmm &sum, const Xmm &maximum) {
    if (spec_.is_log || spec_.has(spec_t::stats)) {
        const vec_t logarithm = vec("logarithm");
        vmovups(logarithm, sum);
        jit::log(*this, logarithm);
        if (spec_.has(spec_t::stats)) {
            const vec_t stat = vec("stat");
            vaddps(*stat, *logarithm, maximum);
            if (spec_.is_inf_zero) set_zero_where_zero(stat, sum);
            io_.store_scalar(stat, spec_.types[spec_t::stats], at(spec_t::stats, 0));
        }
        if (spec_.is_log) return vmovups(sum, *logarithm);
    }
    const vec_t reciprocal = vec("reciprocal");
    broadcast(reciprocal, 1);
    vdivps(xmm(reciprocal), xmm(reciprocal), xmm(sum));
    if (scales_sum() && src_scale_) vmulps(xmm(reciprocal), xmm(reciprocal), xmm(*src_scale_));
    if (dst_scale_) vdivps(xmm(reciprocal), xmm(reciprocal), xmm(*dst_scale_));
    vbroadcastss(reciprocal, xmm(reciprocal));
    if (spec_.is_inf_zero) set_zero_where_zero(reciprocal, sum);
    vmovups(sum, *reciprocal);
}

void row_forward_kernel_t::set_zero_where_zero(const Xmm &x, const Xmm &sum) {
    jit::lane_condition_t(*this, sum, jit::comparison_t::ne, constant(0)).keep(x);
}

void row_forward_kernel_t::store_results(const Xmm &maximum, const Xmm &sum) {
    begin_row();
    for_each_tile_of_row([&](const tile_t &tile) {
        const vec_t y = vec("y");
        for (int i = 0; i < tile.vectors; ++i) {
            const int count = lanes_of(tile, i);
            spec_.is_log ? load_again(y, i, count) : load(y, spec_.kept(), i, count);
            find_result(y, maximum, sum);
            store_result(y, i, count, at(spec_t::dst, i));
        }
    });
}

void row_forward_kernel_t::find_result(const Xmm &y, const Xmm &maximum, const Xmm &sum) {
    if (!spec_.is_log) return vmulps(y, y, sum);
    vsubps(y, y, maximum);
    vsubps(y, y, sum);
}

void row_forward_kernel_t::finish_result(const Xmm &y, int vector, int count) {
    if (!scales_sum() && src_scale_) vmulps(y, y, **src_scale_);
    if (spec_.has_post_ops())
        apply_post_ops(y, vector, count, {}, {spec_.pre_ops, spec_.post_ops.size()});
    if (divisor_) divisor_->divide(y);
}

void row_forward_kernel_t::store_result(const Xmm &y, int vector, int count, const RegExp &to) {
    finish_result(y, vector, count);
    io_.store(y, spec_.types[spec_t::dst], to, count, store_of(count, spec_.is_non_temporal));
}

} // namespace kiln::x64::softmax
