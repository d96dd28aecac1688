// SPDX-License-Identifier: Apache-2.0
// The kernel that reduces each row to one value, or rows to one row.

#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "common/integers.hpp"
#include "cpu/x64/jit/math/functions.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::reduction {

using jit::infinity;

namespace {

/// Vectors of a tile. Wide tiles read longer pieces of each row that is combined; they leave
/// registers for powers, post-ops and notes of NaN.
int vectors_of_tile(const row_reduction_spec_t &spec) {
    constexpr int few = 4, many = 12, many_of_avx512 = 32;
    const bool is_wide = spec.makes_row && jit::vectors_of(spec.isa) >= many_of_avx512
                         && spec.combine != combine_t::max && spec.combine != combine_t::min;
    return is_wide ? many : few;
}

const char *name_of(combine_t combine) {
    switch (combine) {
    case combine_t::max: return "max";
    case combine_t::min: return "min";
    case combine_t::product: return "mul";
    default: return "sum";
    }
}

float neutral_of(combine_t combine) {
    switch (combine) {
    case combine_t::max: return -infinity;
    case combine_t::min: return infinity;
    case combine_t::product: return 1;
    default: return 0;
    }
}

} // namespace

dim_t row_reduction_spec_t::tile_width() const {
    return vectors_of_tile(*this) * jit::lanes_of(isa);
}

std::string row_reduction_spec_t::name() const {
    return jit::kernel_name(
            std::string(makes_row ? "reduction_column_" : "reduction_row_") + name_of(combine),
            {src_type, dst_type}, isa);
}

row_reduction_kernel_t::row_reduction_kernel_t(const row_reduction_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile(spec),
            {{spec.src_type, true, spec.src_stride},
                    {spec.dst_type, spec.makes_row, spec.dst_stride}},
            spec.post_ops, first_post_op_operand)
    , spec_(spec) {}

bool row_reduction_kernel_t::loses_nan() const {
    return is_extreme() && spec_.src_type != dnnl_s8 && spec_.src_type != dnnl_u8;
}

void row_reduction_kernel_t::write_rows() {
    if (!spec_.makes_row) return for_each_row();
    begin_row();
    for_each_tile_of_row([&](const tile_t &tile) { write_column(tile); });
}

/// Walks all rows in src and comes back to the first one.
void row_reduction_kernel_t::write_column(const tile_t &tile) {
    const vecs_t sums = vecs("sum", tile);
    for (const vec_t &sum : sums) broadcast(sum, neutral_of(spec_.combine));
    std::vector<nan_t> nan(sums.size());
    for (nan_t &note : nan)
        if (loses_nan()) note.emplace(*this);
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    repeat(rows(), [&] {
        for (size_t i = 0; i < sums.size(); ++i) {
            const vec_t x = vec("x");
            const auto vector = static_cast<int>(i);
            load_terms(x, vector, lanes_of(tile, vector));
            combine(sums[i], x);
            if (nan[i]) nan[i]->add({*this, x, jit::comparison_t::unordered, x});
        }
        next_row(src_operand);
    });
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    back_by_rows(src_operand);
    for (size_t i = 0; i < sums.size(); ++i)
        if (nan[i]) nan[i]->select(sums[i], constant(std::numeric_limits<float>::quiet_NaN()));
    nan.clear();
    for (int i = 0; i < tile.vectors; ++i) {
        finish_value(sums[i], i, lanes_of(tile, i));
        store(sums[i], dst_operand, i, lanes_of(tile, i));
    }
}

void row_reduction_kernel_t::write_row() {
    const dim_t vectors = divide_up<dim_t>(spec_.line, lanes());
    const vecs_t sums =
            vecs("sum", {static_cast<int>(std::min<dim_t>(vectors, tile_vectors())), lanes()});
    for (const vec_t &sum : sums) broadcast(sum, neutral_of(spec_.combine));
    nan_t nan;
    if (loses_nan()) nan.emplace(*this);
    for_each_tile_of_row([&](const tile_t &tile) { add_tile(sums, tile, nan); });
    for (size_t i = 1; i < sums.size(); ++i) combine(sums[0], sums[i]);
    switch (spec_.combine) {
    case combine_t::max: jit::reduce_max(*this, sums[0]); break;
    case combine_t::min: jit::reduce_min(*this, sums[0]); break;
    case combine_t::sum: jit::reduce_sum(*this, sums[0]); break;
    case combine_t::product: jit::reduce_product(*this, sums[0]); break;
    }
    if (nan) {
        Xbyak::Label end;
        nan->jump_if_none(end);
        broadcast(sums[0], std::numeric_limits<float>::quiet_NaN());
        L(end);
    }
    finish_value(sums[0], 0, lanes());
    io_.store_scalar(sums[0], spec_.dst_type, at(dst_operand, 0));
}

void row_reduction_kernel_t::add_tile(const vecs_t &sums, const tile_t &tile, nan_t &nan) {
    const vecs_t x = vecs("x", tile);
    for (int i = 0; i < tile.vectors; ++i) load_terms(x[i], i, lanes_of(tile, i));
    for (size_t i = 0; i < x.size(); ++i) combine(sums[i], x[i]);
    for (size_t i = 0; nan && i < x.size(); i += 2)
        nan->add({*this, x[i], jit::comparison_t::unordered, *x[std::min(i + 1, x.size() - 1)]});
}

/// Lanes beyond `count` get the value that combining leaves out.
void row_reduction_kernel_t::load_terms(const Xmm &to, int vector, int count) {
    load(to, src_operand, vector, count);
    switch (spec_.term) {
    case term_t::magnitude: jit::take_magnitude(*this, to); break;
    case term_t::square: vmulps(to, to, to); break;
    case term_t::power:
        jit::take_magnitude(*this, to);
        jit::scaled_pow(*this, to, 1, spec_.p);
        break;
    case term_t::value: break;
    }
    // In a column a lane is not combined with another one.
    if (count == lanes() || spec_.combine == combine_t::sum || spec_.makes_row) return;
    const auto neutral = std::bit_cast<uint32_t>(neutral_of(spec_.combine));
    vorps(to, to, constant_lanes(count, 0, neutral));
}

void row_reduction_kernel_t::combine(const Xmm &one, const Xmm &other) {
    switch (spec_.combine) {
    case combine_t::max: vmaxps(one, one, other); break;
    case combine_t::min: vminps(one, one, other); break;
    case combine_t::sum: vaddps(one, one, other); break;
    case combine_t::product: vmulps(one, one, other); break;
    }
}

void row_reduction_kernel_t::finish_value(const Xmm &value, int vector, int count) {
    if (spec_.divisor != 1) vdivps(value, value, constant(spec_.divisor));
    switch (spec_.epsilon_use) {
    case epsilon_use_t::added: vaddps(value, value, constant(spec_.epsilon)); break;
    case epsilon_use_t::least: jit::at_least(*this, value, spec_.epsilon); break;
    case epsilon_use_t::none: break;
    }
    if (spec_.takes_root) {
        if (spec_.p == 2)
            vsqrtps(value, value);
        else
            jit::scaled_pow(*this, value, 1, 1 / spec_.p);
    }
    apply_post_ops(value, vector, count);
}

} // namespace kiln::x64::reduction
