// SPDX-License-Identifier: Apache-2.0
// The kernel that makes one value of a row.

#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/jit/math.hpp"
#include "cpu/x64/jit/nan_watch.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::reduction {

using jit::gpr_t;
using jit::vec_t;

namespace {

constexpr int vectors_of_tile = 4;
constexpr float infinity = std::numeric_limits<float>::infinity();

const char *name_of(fold_t fold) {
    switch (fold) {
    case fold_t::max: return "max";
    case fold_t::min: return "min";
    default: return "sum";
    }
}

float neutral_of(fold_t fold) {
    switch (fold) {
    case fold_t::max: return -infinity;
    case fold_t::min: return infinity;
    default: return 0;
    }
}

} // namespace

dim_t row_reduction_spec_t::tile_width() const { return vectors_of_tile * jit::lanes_of(isa); }

std::string row_reduction_spec_t::name() const {
    return jit::kernel_name(
            std::string("reduction_row_") + name_of(fold), {src_type, dst_type}, isa);
}

struct row_reduction_kernel_t::registers_t {
    explicit registers_t(row_reduction_kernel_t &k)
        : src(k.gpr("src"))
        , dst(k.gpr("dst"))
        , column(k.gpr("column"))
        , left(k.gpr("elements left"))
        , rows(k.gpr("rows left"))
        , operand(k.gpr("operand of a post-op")) {
        if (k.loses_nan()) nan.emplace(k);
    }
    gpr_t src, dst, column, left, rows, operand;
    std::optional<jit::nan_watch_t> nan;
};

row_reduction_kernel_t::row_reduction_kernel_t(const row_reduction_spec_t &spec)
    : tiled_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile)
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {}

bool row_reduction_kernel_t::loses_nan() const {
    return spec_.fold != fold_t::sum && spec_.src_type != dnnl_s8 && spec_.src_type != dnnl_u8;
}

void row_reduction_kernel_t::generate() {
    registers_t r(*this);
    mov(*r.src, operand_argument(src_operand));
    mov(*r.dst, operand_argument(dst_operand));
    mov(*r.rows, argument(offsetof(row_reduction_args_t, rows)));
    prepare_tail();
    Xbyak::Label row;
    L(row);
    write_row(r);
    next_row(r);
    dec(*r.rows);
    jnz(row, T_NEAR);
    io_.release();
}

void row_reduction_kernel_t::write_row(registers_t &r) {
    const dim_t vectors = (spec_.line + lanes() - 1) / lanes();
    const vecs_t sums =
            vecs("sum", {static_cast<int>(std::min<dim_t>(vectors, vectors_of_tile)), lanes()});
    for (const vec_t &sum : sums) broadcast(sum, neutral_of(spec_.fold));
    if (r.nan) r.nan->begin();
    xor_(*r.column, *r.column);
    mov(*r.left, argument(offsetof(row_reduction_args_t, length)));
    for_each_tile(r.left, [&](const tile_t &tile) {
        add_tile(r, sums, tile);
        add(*r.column, tile.vectors * lanes());
    });
    for (size_t i = 1; i < sums.size(); ++i) meet(sums[0], sums[i]);
    switch (spec_.fold) {
    case fold_t::max: jit::reduce_max(*this, sums[0]); break;
    case fold_t::min: jit::reduce_min(*this, sums[0]); break;
    case fold_t::sum: jit::reduce_sum(*this, sums[0]); break;
    }
    if (r.nan) r.nan->make_nan(sums[0]);
    store_result(r, sums[0]);
}

void row_reduction_kernel_t::add_tile(registers_t &r, const vecs_t &sums, const tile_t &tile) {
    const vecs_t x = vecs("x", tile);
    for (int i = 0; i < tile.vectors; ++i) load(x[static_cast<size_t>(i)], r, i, lanes_of(tile, i));
    for (size_t i = 0; i < x.size(); ++i) meet(sums[i], x[i]);
    for (size_t i = 0; r.nan && i < x.size(); i += 2)
        r.nan->look_at(x[i], x[std::min(i + 1, x.size() - 1)]);
}

/// Lanes that there are not take no part.
void row_reduction_kernel_t::load(
        const Xbyak::Xmm &to, const registers_t &r, int vector, int count) {
    const int size = size_of(spec_.src_type);
    io_.load(to, spec_.src_type, *r.src + *r.column * size + vector * lanes() * size, count);
    switch (spec_.term) {
    case term_t::magnitude: jit::take_magnitude(*this, to); break;
    case term_t::square: vmulps(to, to, to); break;
    case term_t::value: break;
    }
    if (count == lanes() || spec_.fold == fold_t::sum) return;
    std::vector<uint32_t> rest(
            static_cast<size_t>(lanes()), std::bit_cast<uint32_t>(neutral_of(spec_.fold)));
    std::fill_n(rest.begin(), count, 0u);
    vorps(to, to, constant_lanes(rest));
}

void row_reduction_kernel_t::meet(const Xbyak::Xmm &one, const Xbyak::Xmm &other) {
    switch (spec_.fold) {
    case fold_t::max: vmaxps(one, one, other); break;
    case fold_t::min: vminps(one, one, other); break;
    case fold_t::sum: vaddps(one, one, other); break;
    }
}

void row_reduction_kernel_t::store_result(registers_t &r, const Xbyak::Xmm &value) {
    if (spec_.divisor != 1) vdivps(value, value, constant(spec_.divisor));
    switch (spec_.epsilon_use) {
    case epsilon_use_t::added: vaddps(value, value, constant(spec_.epsilon)); break;
    case epsilon_use_t::least: jit::at_least(*this, value, spec_.epsilon); break;
    case epsilon_use_t::none: break;
    }
    if (spec_.takes_root) vsqrtps(value, value);
    post_ops_.apply(value, lanes(), [&](int index) {
        mov(*r.operand, operand_argument(first_post_op_operand + static_cast<size_t>(index)));
        return Xbyak::RegExp(*r.operand);
    });
    io_.store_scalar(value, spec_.dst_type, *r.dst);
}

Xbyak::Address row_reduction_kernel_t::operand_argument(size_t place) {
    return qword[arguments() + offsetof(row_reduction_args_t, operands) + place * sizeof(void *)];
}

void row_reduction_kernel_t::next_row(registers_t &r) {
    const auto pitch = [&](size_t place) {
        return qword[arguments() + offsetof(row_reduction_args_t, pitches)
                     + place * sizeof(int64_t)];
    };
    add(*r.src, pitch(src_operand));
    add(*r.dst, pitch(dst_operand));
    for (size_t i = 0; i < post_op_operands_.size(); ++i) {
        mov(*r.operand, pitch(first_post_op_operand + i));
        add(operand_argument(first_post_op_operand + i), *r.operand);
    }
}

} // namespace kiln::x64::reduction
