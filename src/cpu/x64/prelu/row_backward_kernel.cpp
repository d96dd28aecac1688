// SPDX-License-Identifier: Apache-2.0
// The kernel of both gradients of PReLU.

#include "cpu/x64/prelu/row_backward_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

namespace {

constexpr int vectors_of_tile = 4;

jit::post_op_operand_t sums_of(const prelu_backward_spec_t &spec) {
    const bool are_floats = spec.terms != prelu_terms_t::stored;
    return {are_floats ? dnnl_f32 : spec.weights_type, spec.terms != prelu_terms_t::summed_up};
}

} // namespace

dim_t prelu_backward_spec_t::tile_width() const { return vectors_of_tile * jit::lanes_of(isa); }

vectors_t prelu_backward_spec_t::vectors() const {
    const int pair = jit::bf16_pairs_t::elements_of(isa);
    const bool are_paired = keeps_sums && weight_per_lane && type == dnnl_bf16
                            && jit::bf16_pairs_t::exists(isa)
                            && (line % pair == 0 || (2 * line == pair && are_adjacent));
    return are_paired ? vectors_t::paired : vectors_t::single;
}

std::string prelu_backward_spec_t::name() const {
    return jit::kernel_name("prelu_bwd_row", {type, weights_type}, isa);
}

prelu_backward_kernel_t::prelu_backward_kernel_t(const prelu_backward_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile,
            {{spec.type, true}, {spec.type, true}, {spec.type, true},
                    {spec.weights_type, spec.weight_per_lane}, sums_of(spec)},
            {}, prelu_backward_operands, spec.vectors())
    , spec_(spec) {
    assert(!spec.is_shifted
            || (spec.terms == prelu_terms_t::summed_up && spec.line > spec.tile_width()
                    && has(spec.isa, feature_t::avx512_core)));
    assert(!spec.keeps_sums
            || (spec.terms == prelu_terms_t::added && spec.line <= spec.tile_width()));
}

void prelu_backward_kernel_t::write_rows() {
    if (!spec_.keeps_sums) return for_each_row();
    if (are_paired()) return write_rows_by_pairs();
    const tile_t tile = whole_line();
    sums_ = vecs("sum", tile);
    begin_row();
    for (int i = 0; i < tile.vectors; ++i) load(sums_[i], prelu_diff_weights, i, lanes_of(tile, i));
    for_each_row();
    begin_row();
    for (int i = 0; i < tile.vectors; ++i)
        store(sums_[i], prelu_diff_weights, i, lanes_of(tile, i));
    sums_.clear();
}

void prelu_backward_kernel_t::write_row() {
    const bool is_summed_up = spec_.terms == prelu_terms_t::summed_up;
    std::optional<vec_t> weight;
    if (!spec_.weight_per_lane) {
        weight.emplace(vec("weight"));
        load(*weight, prelu_weights, 0, lanes());
    }
    if (is_summed_up) {
        const dim_t vectors = divide_up<dim_t>(line(), lanes());
        sums_ = vecs("sum", {static_cast<int>(std::min<dim_t>(vectors, vectors_of_tile)), lanes()});
        for (const vec_t &sum : sums_) set_zero(sum);
    }
    if (spec_.is_shifted)
        write_shifted_tiles(*weight);
    else
        for_each_tile_of_row(
                [&](const tile_t &tile) { write_tile(tile, weight ? &**weight : nullptr); });
    if (is_summed_up) add_to_sum();
}

void prelu_backward_kernel_t::write_shifted_tiles(const Xmm &weight) {
    const Reg64 &row = row_of(prelu_diff_src);
    {
        const gpr_t front = gpr("elements in front of a cache line");
        mov(*front, argument(offsetof(prelu_backward_args_t, first_row)));
        sub(*front, row);
        and_(*front, cache_line_bytes - 1);
        shr(*front, std::countr_zero(static_cast<unsigned>(size_of(dnnl_f32))));
        cmp(*front, left()); // a piece of a row may end earlier
        cmovg(*front, left());
        write_part(weight, front);
    }
    for (const int vectors : {vectors_of_tile, 1}) {
        const tile_t tile{vectors, lanes()};
        const int count = vectors * lanes();
        Xbyak::Label again, end;
        L(again);
        cmp(left(), count);
        jl(end, T_NEAR);
        write_tile(tile, &weight);
        add(column(), count);
        sub(left(), count);
        jmp(again, T_NEAR);
        L(end);
    }
    write_part(weight, left());
}

void prelu_backward_kernel_t::write_part(const Xmm &weight, const Reg64 &count) {
    const mask_t part = mask("part");
    const vec_t term = vec("term"), gradient = vec("diff_dst");
    set_first_lanes(*part, count);
    vmovups(zmm(term) | *part | T_z, ptr[at(prelu_src, 0)]);
    vmovups(zmm(gradient) | *part | T_z, ptr[at(prelu_diff_dst, 0)]);
    find_gradients(term, gradient, &weight, 0, lanes());
    vmovups(ptr[at(prelu_diff_src, 0)] | *part, zmm(gradient));
    add(column(), count);
    sub(left(), count);
}

void prelu_backward_kernel_t::write_tile(const tile_t &tile, const Xmm *weight) {
    if (spec_.fetches_next_page)
        for (const size_t i : {prelu_src, prelu_diff_dst}) fetch_next_page(tile, i);
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        const vec_t term = vec("term");
        write_vector(term, weight, i, count);
        if (!sums_.empty()) continue;
        if (spec_.terms == prelu_terms_t::added) {
            const vec_t before = vec("sum before");
            load(before, prelu_diff_weights, i, count);
            vaddps(term, term, before);
        }
        store(term, prelu_diff_weights, i, count);
    }
}

void prelu_backward_kernel_t::add_to_sum() {
    const vec_t &sum = sums_.front();
    for (size_t i = 1; i < sums_.size(); ++i) vaddps(sum, sum, sums_[i]);
    jit::reduce_sum(*this, sum);
    const vec_t before = vec("sum before");
    load(before, prelu_diff_weights, 0, lanes());
    vaddps(sum, sum, before);
    io_.store_scalar(sum, dnnl_f32, at(prelu_diff_weights, 0));
    sums_.clear();
}

void prelu_backward_kernel_t::write_vector(
        const Xmm &term, const Xmm *weight, int vector, int count) {
    const vec_t gradient = vec("diff_dst");
    load(term, prelu_src, vector, count);
    load(gradient, prelu_diff_dst, vector, count);
    find_gradients(term, gradient, weight, vector, count);
    store(gradient, prelu_diff_src, vector, count, spec_.is_non_temporal);
}

void prelu_backward_kernel_t::find_gradients(
        const Xmm &term, const Xmm &gradient, const Xmm *weight, int vector, int count) {
    const vec_t product = vec("product");
    const jit::lane_condition_t is_low(*this, term, jit::comparison_t::not_gt, constant(0));
    if (sums_.empty())
        is_low.multiply_or_zero(term, gradient);
    else
        is_low.add_product(sums_[vector], term, gradient);
    if (weight == nullptr) load(product, prelu_weights, vector, count);
    is_low.multiply(gradient, weight ? *weight : *product, product);
}

void prelu_backward_kernel_t::write_rows_by_pairs() {
    const bool are_halves = line() < elements();
    const int count = static_cast<int>(divide_up<dim_t>(line(), elements()));
    begin_row();
    load_pairs_of_weights();
    for (int i = 0; i < 2 * count; ++i) set_zero(pair_sums_.emplace_back(vec("sum")));
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    Xbyak::Label again, rest, end;
    L(again);
    const auto step = [&](int rows_of_step) {
        for (int i = 0; i < count; ++i)
            write_pair(i, rows_of_step == 1 && are_halves ? static_cast<int>(line()) : elements());
        sub(rows(), rows_of_step);
    };
    if (are_halves) {
        cmp(rows(), 2);
        jl(rest, T_NEAR);
        step(2);
        for (const size_t operand : {prelu_diff_src, prelu_src, prelu_diff_dst})
            add(row_of(operand), elements() * size_of(spec_.type));
        jmp(again, T_NEAR);
        L(rest);
        test(rows(), rows());
        jz(end, T_NEAR);
        step(1);
    } else {
        step(1);
        for (const size_t operand : {prelu_diff_src, prelu_src, prelu_diff_dst}) next_row(operand);
        test(rows(), rows());
        jnz(again, T_NEAR);
    }
    L(end);
    add_pairs_to_sums();
    pair_weights_.clear();
    pair_sums_.clear();
}

void prelu_backward_kernel_t::load_pairs_of_weights() {
    const int size = size_of(spec_.weights_type);
    const auto sources = static_cast<uint32_t>(line() < elements() ? lanes() : elements());
    const auto indices = [&](uint32_t first) { // every other lane, of two vectors or of one twice
        return constant_lanes([&](uint32_t lane) { return first + 2 * lane % sources; });
    };
    for (dim_t column = 0; column < line(); column += elements()) {
        const vec_t low = vec("weights"), high = vec("weights, the upper ones");
        const RegExp from = at(prelu_weights, static_cast<int>(column / elements()));
        const auto load_floats = [&](const Xmm &to, const RegExp &place) {
            if (spec_.weights_type == dnnl_f32)
                vmovups(to, ptr[place]);
            else
                jit::expand(*this, to, spec_.weights_type, ptr[place]);
        };
        load_floats(*low, from);
        if (line() >= elements()) load_floats(*high, from + lanes() * size);
        for (const uint32_t first : {0u, 1u}) {
            const vec_t &taken = pair_weights_.emplace_back(vec("every other weight"));
            vmovups(*taken, indices(first));
            vpermi2ps(*taken, *low, *high);
        }
    }
}

void prelu_backward_kernel_t::write_pair(int index, int count) {
    const vec_t x[] = {vec("even src"), vec("odd src")};
    const vec_t gradients[] = {vec("even diff_dst"), vec("odd diff_dst")};
    pairs().load(x[0], x[1], at(prelu_src, index), count);
    pairs().load(gradients[0], gradients[1], at(prelu_diff_dst, index), count);
    for (size_t i = 0; i < 2; ++i) {
        const size_t of_pair = 2 * static_cast<size_t>(index) + i;
        const jit::lane_condition_t is_low(*this, x[i], jit::comparison_t::not_gt, constant(0));
        is_low.add_product(pair_sums_[of_pair], x[i], gradients[i]);
        is_low.multiply(gradients[i], *pair_weights_[of_pair], vec("product"));
    }
    pairs().store(gradients[0], gradients[1], at(prelu_diff_src, index), count,
            store_of(count, spec_.is_non_temporal));
}

void prelu_backward_kernel_t::add_pairs_to_sums() {
    const vec_t sum = vec("sum of a row's element");
    const auto add_to = [&](const RegExp &place) {
        vaddps(sum, sum, ptr[place]);
        vmovups(ptr[place], sum);
    };
    for (size_t i = 0; i < pair_sums_.size(); i += 2) {
        const vec_t &even = pair_sums_[i], &odd = pair_sums_[i + 1];
        const RegExp place = at(prelu_diff_weights, static_cast<int>(i / 2));
        if (line() < elements()) { // the upper halves are of other rows
            for (const vec_t *of_pair : {&even, &odd}) {
                vextractf64x4(ymm(sum), zmm(*of_pair), 1);
                vaddps(ymm(*of_pair), ymm(*of_pair), ymm(sum));
            }
            alternate(sum, even, odd, 0);
            add_to(place);
            continue;
        }
        for (const int half : {0, 1}) {
            alternate(sum, even, odd, half * lanes() / 2);
            add_to(place + half * lanes() * size_of(dnnl_f32));
        }
    }
}

void prelu_backward_kernel_t::alternate(const Xmm &to, const Xmm &a, const Xmm &b, int first) {
    const auto start = static_cast<uint32_t>(first), other = static_cast<uint32_t>(lanes());
    const auto indices = [&](uint32_t lane) { return start + lane / 2 + lane % 2 * other; };
    vmovups(to, constant_lanes(indices));
    vpermi2ps(to, a, b);
}

} // namespace kiln::x64
