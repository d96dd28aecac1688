// SPDX-License-Identifier: Apache-2.0
// The kernel that reduces each row to one value.

#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/integers.hpp"
#include "cpu/x64/jit/math.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::reduction {

using jit::vec_t;

namespace {

constexpr int vectors_of_tile = 4;
constexpr float infinity = std::numeric_limits<float>::infinity();

const char *name_of(combine_t combine) {
    switch (combine) {
    case combine_t::max: return "max";
    case combine_t::min: return "min";
    default: return "sum";
    }
}

float neutral_of(combine_t combine) {
    switch (combine) {
    case combine_t::max: return -infinity;
    case combine_t::min: return infinity;
    default: return 0;
    }
}

} // namespace

dim_t row_reduction_spec_t::tile_width() const { return vectors_of_tile * jit::lanes_of(isa); }

std::string row_reduction_spec_t::name() const {
    return jit::kernel_name(
            std::string("reduction_row_") + name_of(combine), {src_type, dst_type}, isa);
}

row_reduction_kernel_t::row_reduction_kernel_t(const row_reduction_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile,
            {{spec.src_type, true}, {spec.dst_type, false}}, spec.post_ops, first_post_op_operand)
    , spec_(spec) {}

bool row_reduction_kernel_t::loses_nan() const {
    return spec_.combine != combine_t::sum && spec_.src_type != dnnl_s8
           && spec_.src_type != dnnl_u8;
}

void row_reduction_kernel_t::write_row() {
    const dim_t vectors = divide_up<dim_t>(spec_.line, lanes());
    const vecs_t sums =
            vecs("sum", {static_cast<int>(std::min<dim_t>(vectors, vectors_of_tile)), lanes()});
    for (const vec_t &sum : sums) broadcast(sum, neutral_of(spec_.combine));
    std::optional<jit::lane_condition_t> nan;
    if (loses_nan()) nan.emplace(*this);
    for_each_tile_of_row([&](const tile_t &tile) { add_tile(sums, tile, nan); });
    for (size_t i = 1; i < sums.size(); ++i) combine(sums[0], sums[i]);
    switch (spec_.combine) {
    case combine_t::max: jit::reduce_max(*this, sums[0]); break;
    case combine_t::min: jit::reduce_min(*this, sums[0]); break;
    case combine_t::sum: jit::reduce_sum(*this, sums[0]); break;
    }
    if (nan) {
        Xbyak::Label end;
        nan->jump_if_none(end);
        broadcast(sums[0], std::numeric_limits<float>::quiet_NaN());
        L(end);
    }
    store_result(sums[0]);
}

void row_reduction_kernel_t::add_tile(
        const vecs_t &sums, const tile_t &tile, std::optional<jit::lane_condition_t> &nan) {
    const vecs_t x = vecs("x", tile);
    for (int i = 0; i < tile.vectors; ++i)
        load_terms(x[static_cast<size_t>(i)], i, lanes_of(tile, i));
    for (size_t i = 0; i < x.size(); ++i) combine(sums[i], x[i]);
    for (size_t i = 0; nan && i < x.size(); i += 2)
        nan->add({*this, x[i], jit::comparison_t::unordered, *x[std::min(i + 1, x.size() - 1)]});
}

/// Lanes beyond `count` get the value that combining leaves out.
void row_reduction_kernel_t::load_terms(const Xbyak::Xmm &to, int vector, int count) {
    load(to, src_operand, vector, count);
    switch (spec_.term) {
    case term_t::magnitude: jit::take_magnitude(*this, to); break;
    case term_t::square: vmulps(to, to, to); break;
    case term_t::value: break;
    }
    if (count == lanes() || spec_.combine == combine_t::sum) return;
    std::vector<uint32_t> rest(
            static_cast<size_t>(lanes()), std::bit_cast<uint32_t>(neutral_of(spec_.combine)));
    std::fill_n(rest.begin(), count, 0u);
    vorps(to, to, constant_lanes(rest));
}

void row_reduction_kernel_t::combine(const Xbyak::Xmm &one, const Xbyak::Xmm &other) {
    switch (spec_.combine) {
    case combine_t::max: vmaxps(one, one, other); break;
    case combine_t::min: vminps(one, one, other); break;
    case combine_t::sum: vaddps(one, one, other); break;
    }
}

void row_reduction_kernel_t::store_result(const Xbyak::Xmm &value) {
    if (spec_.divisor != 1) vdivps(value, value, constant(spec_.divisor));
    switch (spec_.epsilon_use) {
    case epsilon_use_t::added: vaddps(value, value, constant(spec_.epsilon)); break;
    case epsilon_use_t::least: jit::at_least(*this, value, spec_.epsilon); break;
    case epsilon_use_t::none: break;
    }
    if (spec_.takes_root) vsqrtps(value, value);
    apply_post_ops(value, 0, lanes());
    io_.store_scalar(value, spec_.dst_type, at(dst_operand, 0));
}

} // namespace kiln::x64::reduction
