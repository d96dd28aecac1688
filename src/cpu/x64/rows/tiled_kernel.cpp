// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that walk a line of elements tile by tile.

#include "cpu/x64/rows/tiled_kernel.hpp"

#include <algorithm>

#include "common/integers.hpp"

namespace kiln::x64 {

int tile_vectors(isa_t isa, bool needs_many, dim_t line) {
    const bool is_short_of_registers = jit::vectors_of(isa) < 32;
    const dim_t usual = is_short_of_registers && needs_many ? 2 : 4;
    const dim_t most = is_short_of_registers ? usual : 5;
    const dim_t vectors = divide_up(line, dim_t(jit::lanes_of(isa)));
    const dim_t tiles = std::max(dim_t(1), (vectors + usual / 2) / usual);
    const dim_t even = divide_up(vectors, tiles);
    return static_cast<int>(even <= most ? even : usual);
}

dim_t tile_width(isa_t isa, bool needs_many, dim_t line) {
    return tile_vectors(isa, needs_many, line) * jit::lanes_of(isa);
}

tiled_kernel_t::tiled_kernel_t(
        isa_t isa, const std::string &name, dim_t line, int tile_vectors, vectors_t vectors)
    : generator_t(isa, name)
    , io_(*this)
    , line_(line)
    , tile_vectors_(tile_vectors)
    , vectors_(vectors) {}

void tiled_kernel_t::prepare_tail() {
    const int tail = static_cast<int>(line_ % elements());
    if (are_paired())
        pairs_.emplace(*this, tail);
    else if (tail != 0)
        io_.prepare_tail(tail);
}

void tiled_kernel_t::release_tail() {
    pairs_.reset();
    io_.release();
}

jit::vecs_t tiled_kernel_t::vecs(const char *name, const tile_t &tile) {
    vecs_t result;
    for (int i = 0; i < tile.vectors; ++i) result.push_back(vec(name));
    return result;
}

tile_t tiled_kernel_t::tile_of(int columns) const {
    const int vectors = divide_up(columns, elements());
    return {vectors, columns - (vectors - 1) * elements()};
}

void tiled_kernel_t::for_each_tile(
        const gpr_t &left, const function_ref_t<void(const tile_t &)> &body) {
    if (is_one_tile()) return body(whole_line());
    const int width = tile_vectors_ * elements();
    Xbyak::Label again, rest, end;
    L(again);
    cmp(*left, width);
    jl(rest, T_NEAR);
    body({tile_vectors_, elements()});
    sub(*left, width);
    jmp(again, T_NEAR);
    L(rest);
    if (const int columns = static_cast<int>(line_ % width); columns != 0) {
        test(*left, *left);
        jz(end, T_NEAR);
        body(tile_of(columns));
    }
    L(end);
}

void tiled_kernel_t::load_lanes(const vecs_t &to, const RegExp &from, const tile_t &tile) {
    int offset = 0, i = 0;
    for (const vec_t &vec : to) {
        io_.load(vec, dnnl_f32, from + offset, lanes_of(tile, i++));
        offset += lanes() * size_of(dnnl_f32);
    }
}

} // namespace kiln::x64
