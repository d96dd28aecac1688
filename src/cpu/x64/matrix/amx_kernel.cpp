// SPDX-License-Identifier: Apache-2.0
// The kernel that multiplies matrices with AMX.

#include "cpu/x64/matrix/amx_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matrix {

using Xbyak::Tmm;

namespace {

constexpr int most_tiles = 2; // along rows, and along columns
constexpr int row_tile_shift = 4;
static_assert(amx_rows == 1 << row_tile_shift);
constexpr int row_shift = 6;
static_assert(amx_row_bytes == 1 << row_shift);

Tmm sum_at(int row_tile, int column_tile) { return Tmm(row_tile * most_tiles + column_tile); }
Tmm a_at(int row_tile) { return Tmm(4 + row_tile); }
Tmm b_at(int column_tile) { return Tmm(6 + column_tile); }

} // namespace

std::string amx_spec_t::name() const {
    return jit::kernel_name("matrix_amx_" + std::to_string(vectors), {a_type, b_type}, isa);
}

void amx_args_t::set_rows(dim_t count) {
    rows = count;
    configuration = {};
    const auto set = [&](const Tmm &tile, dim_t tile_rows) {
        const auto index = static_cast<size_t>(tile.getIdx());
        configuration.row_bytes[index] = amx_row_bytes;
        configuration.rows[index] = static_cast<uint8_t>(tile_rows);
    };
    for (int column_tile = 0; column_tile < most_tiles; ++column_tile)
        set(b_at(column_tile), amx_rows);
    for (int row_tile = 0; row_tile * amx_rows < count; ++row_tile) {
        const dim_t tile_rows = std::min<dim_t>(amx_rows, count - row_tile * amx_rows);
        set(a_at(row_tile), tile_rows);
        for (int column_tile = 0; column_tile < most_tiles; ++column_tile)
            set(sum_at(row_tile, column_tile), tile_rows);
    }
}

/// Addresses of the panel, of its sums, and what moves along K.
struct amx_kernel_t::walk_t {
    explicit walk_t(amx_kernel_t &k)
        : a_pitch(k.gpr("pitch of A"))
        , b_pitch(k.gpr("pitch of steps"))
        , sums(k.gpr("sums"))
        , lower_sums(k.gpr("sums of the second tile"))
        , sums_pitch(k.gpr("pitch of sums", k.argument(offsetof(amx_args_t, sums_pitch))))
        , a(k.gpr("rows of A"))
        , lower_a(k.gpr("rows of the second tile"))
        , b(k.gpr("steps of B"))
        , left(k.gpr("steps left"))
        , ahead(k.gpr("lines ahead", k.argument(offsetof(amx_args_t, ahead))))
        , dst(k.gpr("rows of dst")) {
        k.mov(*b_pitch, k.spec_.vectors * amx_row_bytes);
    }
    const gpr_t &a_of(int row_tile) const { return row_tile == 0 ? a : lower_a; }
    const gpr_t &sums_of(int row_tile) const { return row_tile == 0 ? sums : lower_sums; }

    gpr_t a_pitch, b_pitch, sums, lower_sums, sums_pitch;
    gpr_t a, lower_a, b, left, ahead, dst;
};

amx_kernel_t::amx_kernel_t(const amx_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec) {}

void amx_kernel_t::generate() {
    unless_zero(argument(offsetof(amx_args_t, configures)),
            [&] { ldtilecfg(ptr[arguments() + offsetof(amx_args_t, configuration)]); });
    Xbyak::Label two_tiles, end;
    cmp(argument(offsetof(amx_args_t, rows)), amx_rows);
    jg(two_tiles, T_NEAR);
    write_runs(1);
    jmp(end, T_NEAR);
    L(two_tiles);
    write_runs(2);
    L(end);
    unless_zero(argument(offsetof(amx_args_t, releases)), [&] { tilerelease(); });
}

/// Runs of steps, each in all panels.
void amx_kernel_t::write_runs(int row_tiles) {
    const walk_t walk(*this);
    Xbyak::Label run;
    L(run);
    mov(*walk.left, argument(offsetof(amx_args_t, steps)));
    mov(*walk.a, argument(offsetof(amx_args_t, near_steps)));
    cmp(*walk.left, *walk.a);
    cmovg(*walk.left, *walk.a);
    mov(argument(offsetof(amx_args_t, run_steps)), *walk.left);
    mov(*walk.b, argument(offsetof(amx_args_t, has_rest)));
    xor_(*walk.a, *walk.a);
    sub(argument(offsetof(amx_args_t, steps)), *walk.left);
    cmovg(*walk.b, *walk.a);
    mov(argument(offsetof(amx_args_t, run_rest)), *walk.b);
    mov(*walk.b, argument(offsetof(amx_args_t, b)));
    mov(argument(offsetof(amx_args_t, run_b)), *walk.b);
    write_panels(walk, row_tiles);
    mov(*walk.a, argument(offsetof(amx_args_t, run_steps)));
    imul(*walk.b, *walk.a, step_bytes());
    shl(*walk.a, row_shift);
    add(argument(offsetof(amx_args_t, a)), *walk.a);
    add(argument(offsetof(amx_args_t, b)), *walk.b);
    mov(argument(offsetof(amx_args_t, adds)), 1);
    if (spec_.dst_size != 0) mov(argument(offsetof(amx_args_t, dst)), 0);
    cmp(argument(offsetof(amx_args_t, steps)), 0);
    jg(run, T_NEAR);
    mov(argument(offsetof(amx_args_t, ahead)), *walk.ahead);
}

void amx_kernel_t::write_panels(const walk_t &walk, int row_tiles) {
    const gpr_t panels = gpr("panels left", argument(offsetof(amx_args_t, panels)));
    const int bytes = spec_.vectors * amx_row_bytes;
    mov(*walk.sums, argument(offsetof(amx_args_t, sums)));
    if (row_tiles > 1) {
        mov(*walk.lower_sums, *walk.sums_pitch);
        shl(*walk.lower_sums, row_tile_shift);
        add(*walk.lower_sums, *walk.sums);
    }
    repeat_if_any(*panels, [&] {
        write_panel(walk, row_tiles, spec_.vectors);
        mov(*walk.b, argument(offsetof(amx_args_t, b_panel)));
        add(argument(offsetof(amx_args_t, run_b)), *walk.b);
        for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
            add(*walk.sums_of(row_tile), bytes);
    });
    unless_zero(argument(offsetof(amx_args_t, has_last)),
            [&] { write_panel(walk, row_tiles, spec_.last_vectors); });
}

void amx_kernel_t::write_panel(const walk_t &walk, int row_tiles, int vectors) {
    for (int first = 0; first < vectors; first += most_tiles)
        write_columns(walk, row_tiles, first, std::min(most_tiles, vectors - first));
}

/// The sums of one or two vectors of columns.
void amx_kernel_t::write_columns(
        const walk_t &walk, int row_tiles, int first_vector, int column_tiles) {
    const auto for_each_sum = [&](const auto &body) {
        for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
            for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
                body(sum_at(row_tile, column_tile),
                        ptr[*walk.sums_of(row_tile) + *walk.sums_pitch
                                + (first_vector + column_tile) * amx_row_bytes]);
    };
    Xbyak::Label adds, products;
    cmp(argument(offsetof(amx_args_t, adds)), 0);
    jne(adds, T_NEAR);
    for_each_sum([&](const Tmm &sum, const auto &) { tilezero(sum); });
    jmp(products, T_NEAR);
    L(adds);
    for_each_sum([&](const Tmm &sum, const Xbyak::Address &at) { tileloadd(sum, at); });
    L(products);

    const auto set_lower_rows = [&] {
        if (row_tiles == 1) return;
        mov(*walk.lower_a, *walk.a_pitch);
        shl(*walk.lower_a, row_tile_shift);
        add(*walk.lower_a, *walk.a);
    };
    mov(*walk.b, argument(offsetof(amx_args_t, run_b)));
    if (first_vector != 0) add(*walk.b, first_vector * amx_row_bytes);
    mov(*walk.a, argument(offsetof(amx_args_t, a)));
    mov(*walk.a_pitch, argument(offsetof(amx_args_t, a_pitch)));
    set_lower_rows();
    mov(*walk.left, argument(offsetof(amx_args_t, run_steps)));
    Xbyak::Label fetches_nothing, rest;
    if (spec_.dst_size != 0) {
        mov(*walk.dst, argument(offsetof(amx_args_t, dst)));
        test(*walk.dst, *walk.dst);
        je(fetches_nothing, T_NEAR);
        write_steps(walk, row_tiles, column_tiles, true);
        add(argument(offsetof(amx_args_t, dst)), column_tiles * amx_columns * spec_.dst_size);
        jmp(rest, T_NEAR);
        L(fetches_nothing);
    }
    write_steps(walk, row_tiles, column_tiles, false);
    L(rest);
    unless_zero(argument(offsetof(amx_args_t, run_rest)), [&] {
        mov(*walk.a, argument(offsetof(amx_args_t, a_rest)));
        mov(*walk.a_pitch, amx_row_bytes);
        set_lower_rows();
        write_step(walk, row_tiles, column_tiles);
    });
    for_each_sum([&](const Tmm &sum, const Xbyak::Address &at) { tilestored(at, sum); });
}

void amx_kernel_t::write_steps(
        const walk_t &walk, int row_tiles, int column_tiles, bool fetches_dst) {
    repeat_if_any(*walk.left, [&] {
        for (int line = 0; line < spec_.lines_ahead; ++line)
            prefetcht1(ptr[*walk.ahead + line * cache_line_bytes]);
        if (spec_.lines_ahead != 0) add(*walk.ahead, spec_.lines_ahead * cache_line_bytes);
        if (fetches_dst) fetch_rows_of_dst(walk, column_tiles);
        write_step(walk, row_tiles, column_tiles);
        for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
            add(*walk.a_of(row_tile), amx_row_bytes);
        add(*walk.b, step_bytes());
    });
}

/// A few rows in each step, so that few loads of A and B wait behind them.
void amx_kernel_t::fetch_rows_of_dst(const walk_t &walk, int column_tiles) {
    constexpr int rows = 2;
    const int bytes = column_tiles * amx_columns * spec_.dst_size;
    for (int row = 0; row < rows; ++row) {
        for (int offset = 0; offset < bytes; offset += static_cast<int>(cache_line_bytes))
            prefetchw(ptr[*walk.dst + offset]);
        add(*walk.dst, argument(offsetof(amx_args_t, dst_pitch)));
    }
}

void amx_kernel_t::write_step(const walk_t &walk, int row_tiles, int column_tiles) {
    for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
        tileloaddt1(b_at(column_tile), ptr[*walk.b + *walk.b_pitch + column_tile * amx_row_bytes]);
    for (int row_tile = 0; row_tile < row_tiles; ++row_tile) {
        tileloadd(a_at(row_tile), ptr[*walk.a_of(row_tile) + *walk.a_pitch]);
        for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
            multiply(sum_at(row_tile, column_tile), a_at(row_tile), b_at(column_tile));
    }
}

void amx_kernel_t::multiply(const Tmm &sum, const Tmm &a, const Tmm &b) {
    if (spec_.step() == step_t::bf16) return tdpbf16ps(sum, a, b);
    const bool a_is_signed = spec_.a_type == dnnl_s8, b_is_signed = spec_.b_type == dnnl_s8;
    if (a_is_signed)
        b_is_signed ? tdpbssd(sum, a, b) : tdpbsud(sum, a, b);
    else
        b_is_signed ? tdpbusd(sum, a, b) : tdpbuud(sum, a, b);
}

} // namespace kiln::x64::matrix
