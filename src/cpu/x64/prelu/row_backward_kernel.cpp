// SPDX-License-Identifier: Apache-2.0
// The kernel of both gradients of PReLU.

#include "cpu/x64/prelu/row_backward_kernel.hpp"

#include <algorithm>
#include <cassert>

#include "common/integers.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

using jit::vec_t;

namespace {

constexpr int vectors_of_tile = 4;

jit::post_op_operand_t sums_of(const prelu_backward_spec_t &spec) {
    const bool are_floats = spec.terms != prelu_terms_t::stored;
    return {are_floats ? dnnl_f32 : spec.weights_type, spec.terms != prelu_terms_t::summed_up};
}

} // namespace

dim_t prelu_backward_spec_t::tile_width() const { return vectors_of_tile * jit::lanes_of(isa); }

std::string prelu_backward_spec_t::name() const {
    return jit::kernel_name("prelu_bwd_row", {type, weights_type}, isa);
}

prelu_backward_kernel_t::prelu_backward_kernel_t(const prelu_backward_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile,
            {{spec.type, true}, {spec.type, true}, {spec.type, true},
                    {spec.weights_type, spec.weight_per_lane}, sums_of(spec)},
            {}, prelu_backward_operands)
    , spec_(spec) {
    assert(!spec.keeps_sums
            || (spec.terms == prelu_terms_t::added && spec.line <= spec.tile_width()));
}

void prelu_backward_kernel_t::write_rows() {
    if (!spec_.keeps_sums) return for_each_row();
    const int vectors = static_cast<int>(divide_up<dim_t>(line(), lanes()));
    const tile_t tile{vectors, static_cast<int>(line()) - (vectors - 1) * lanes()};
    sums_ = vecs("sum", tile);
    begin_row();
    for (int i = 0; i < vectors; ++i)
        load(sums_[static_cast<size_t>(i)], prelu_diff_weights, i, lanes_of(tile, i));
    for_each_row();
    begin_row();
    for (int i = 0; i < vectors; ++i)
        store(sums_[static_cast<size_t>(i)], dnnl_f32, prelu_diff_weights, i, lanes_of(tile, i));
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
    for_each_tile_of_row(
            [&](const tile_t &tile) { write_tile(tile, weight ? &**weight : nullptr); });
    if (is_summed_up) add_to_sum();
}

void prelu_backward_kernel_t::write_tile(const tile_t &tile, const Xbyak::Xmm *weight) {
    for (int i = 0; i < tile.vectors; ++i) {
        const int count = lanes_of(tile, i);
        const vec_t term = vec("term");
        write_vector(term, weight, i, count);
        if (!sums_.empty()) {
            const vec_t &sum = sums_[static_cast<size_t>(i)];
            vaddps(sum, sum, term);
            continue;
        }
        if (spec_.terms == prelu_terms_t::added) {
            const vec_t before = vec("sum before");
            load(before, prelu_diff_weights, i, count);
            vaddps(term, term, before);
        }
        store(term, sums_of(spec_).type, prelu_diff_weights, i, count);
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
        const Xbyak::Xmm &term, const Xbyak::Xmm *weight, int vector, int count) {
    const vec_t gradient = vec("diff_dst"), product = vec("product");
    load(term, prelu_src, vector, count);
    load(gradient, prelu_diff_dst, vector, count);
    const jit::lane_condition_t is_low(*this, term, jit::comparison_t::not_gt, constant(0));
    if (weight == nullptr) load(product, prelu_weights, vector, count);
    vmulps(product, gradient, weight ? *weight : *product);
    vmulps(term, term, gradient);
    is_low.keep(term);
    is_low.select(gradient, product);
    const bool is_non_temporal = spec_.is_non_temporal && count == lanes();
    store(gradient, spec_.type, prelu_diff_src, vector, count,
            is_non_temporal ? jit::store_t::non_temporal : jit::store_t::ordinary);
}

void prelu_backward_kernel_t::store(const Xbyak::Xmm &x, data_type_t type, size_t operand,
        int vector, int count, jit::store_t how) {
    io_.store(x, type, at(operand, vector), count, how);
}

} // namespace kiln::x64
