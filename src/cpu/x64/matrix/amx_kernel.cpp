// SPDX-License-Identifier: Apache-2.0
// The kernel that multiplies matrices with AMX.

#include "cpu/x64/matrix/amx_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matrix {

using Xbyak::Tmm;

namespace {

constexpr int most_tiles = 2; // along rows, and along columns

Tmm sum_at(int row_tile, int column_tile) { return Tmm(row_tile * most_tiles + column_tile); }
Tmm a_at(int row_tile) { return Tmm(4 + row_tile); }
Tmm b_at(int column_tile) { return Tmm(6 + column_tile); }

} // namespace

std::string amx_spec_t::name() const {
    std::string text = "matrix_amx_" + std::to_string(vectors) + (splits ? "_split" : "");
    if (!results.epilogue.empty()) text += "_epilogue";
    if (!results.exist()) return jit::kernel_name(text, {a_type, b_type}, isa);
    return jit::kernel_name(text, {a_type, b_type, results.dst_type}, isa);
}

void amx_args_t::set_rows(dim_t count) {
    rows = count;
    configuration = {};
    for (int column_tile = 0; column_tile < most_tiles; ++column_tile)
        configuration.set(b_at(column_tile), amx_rows);
    for (int row_tile = 0; row_tile * amx_rows < count; ++row_tile) {
        const dim_t tile_rows = std::min<dim_t>(amx_rows, count - row_tile * amx_rows);
        configuration.set(a_at(row_tile), tile_rows);
        for (int column_tile = 0; column_tile < most_tiles; ++column_tile)
            configuration.set(sum_at(row_tile, column_tile), tile_rows);
    }
}

/// What moves along K. The order decides the registers: with the steps of B in rbp, products that
/// wait for memory took 8 % longer (doc/decisions/matrix_products.md).
struct amx_kernel_t::walk_t {
    explicit walk_t(amx_kernel_t &k)
        : left(k.gpr("steps left"))
        , a_pitch(k.gpr("pitch of A"))
        , b_pitch(k.gpr("pitch of steps"))
        , a(k.gpr("rows of A"))
        , lower_a(k.gpr("rows of the second tile"))
        , b(k.gpr("steps of B"))
        , ahead(k.gpr("lines ahead", k.argument(offsetof(amx_args_t, ahead))))
        , dst(k.gpr("rows of dst")) {
        k.mov(*b_pitch, k.spec_.vectors * amx_row_bytes);
    }
    const gpr_t &a_of(int row_tile) const { return row_tile == 0 ? a : lower_a; }

    gpr_t left, a_pitch, b_pitch, a, lower_a, b, ahead, dst;
};

amx_kernel_t::amx_kernel_t(const amx_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec) {}

void amx_kernel_t::generate() {
    unless_zero(argument(offsetof(amx_args_t, configures)),
            [&] { ldtilecfg(ptr[arguments() + offsetof(amx_args_t, configuration)]); });
    if (spec_.results.exist())
        results_.emplace(*this, spec_.results, arguments() + offsetof(amx_args_t, results),
                argument(offsetof(amx_args_t, sums_pitch)), spec_.last_columns);
    const walk_t walk(*this);
    Xbyak::Label two_tiles, multiplied, end;
    cmp(argument(offsetof(amx_args_t, rows)), amx_rows);
    jg(two_tiles, T_NEAR);
    write_runs(walk, 1);
    jmp(multiplied, T_NEAR);
    L(two_tiles);
    write_runs(walk, 2);
    L(multiplied);
    mov(argument(offsetof(amx_args_t, ahead)), *walk.ahead);
    unless_zero(argument(offsetof(amx_args_t, releases)), [&] { tilerelease(); });
    if (!results_) return;
    unless_zero(argument(offsetof(amx_args_t, results) + offsetof(amx_results_args_t, ends)),
            [&] { results_->finish_all(); });
    results_->store();
    jmp(end, T_NEAR);
    results_->write_routine();
    L(end);
    results_.reset();
}

/// Runs of steps, each in all panels.
void amx_kernel_t::write_runs(const walk_t &walk, int row_tiles) {
    Xbyak::Label run;
    L(run);
    mov(*walk.left, argument(offsetof(amx_args_t, steps)));
    mov(*walk.a, argument(offsetof(amx_args_t, near_steps)));
    cmp(*walk.left, *walk.a);
    cmovg(*walk.left, *walk.a);
    mov(argument(offsetof(amx_args_t, run_steps)), *walk.left);
    mov(*walk.b, argument(offsetof(amx_args_t, has_rest)));
    mov(*walk.lower_a,
            argument(offsetof(amx_args_t, results) + offsetof(amx_results_args_t, finishes)));
    xor_(*walk.a, *walk.a);
    sub(argument(offsetof(amx_args_t, steps)), *walk.left);
    cmovg(*walk.b, *walk.a);
    cmovg(*walk.lower_a, *walk.a);
    mov(argument(offsetof(amx_args_t, run_rest)), *walk.b);
    mov(argument(offsetof(amx_args_t, run_finishes)), *walk.lower_a);
    for (const auto &[to, from] : {std::pair{offsetof(amx_args_t, run_b), offsetof(amx_args_t, b)},
                 {offsetof(amx_args_t, run_sums), offsetof(amx_args_t, sums)},
                 {offsetof(amx_args_t, left_panels), offsetof(amx_args_t, panels)}}) {
        mov(*walk.b, argument(from));
        mov(argument(to), *walk.b);
    }
    write_panels(walk, row_tiles);
    mov(*walk.a, argument(offsetof(amx_args_t, run_steps)));
    imul(*walk.b, *walk.a, step_bytes());
    imul(*walk.a, *walk.a, spec_.a_step_bytes());
    add(argument(offsetof(amx_args_t, a)), *walk.a);
    add(argument(offsetof(amx_args_t, b)), *walk.b);
    mov(argument(offsetof(amx_args_t, adds)), 1);
    if (spec_.dst_size != 0) mov(argument(offsetof(amx_args_t, fetched_dst)), 0);
    cmp(argument(offsetof(amx_args_t, steps)), 0);
    jg(run, T_NEAR);
}

void amx_kernel_t::write_panels(const walk_t &walk, int row_tiles) {
    unless_zero(argument(offsetof(amx_args_t, left_panels)), [&] {
        repeat(argument(offsetof(amx_args_t, left_panels)), [&] {
            write_panel(walk, row_tiles, spec_.width());
            mov(*walk.b, argument(offsetof(amx_args_t, b_panel)));
            add(argument(offsetof(amx_args_t, run_b)), *walk.b);
            mov(*walk.b, argument(offsetof(amx_args_t, sums_panel)));
            add(argument(offsetof(amx_args_t, run_sums)), *walk.b);
            if (results_)
                unless_zero(argument(offsetof(amx_args_t, run_finishes)),
                        [&] { results_->advance(spec_.width()); });
        });
    });
    if (spec_.last_columns != 0)
        unless_zero(argument(offsetof(amx_args_t, has_last)),
                [&] { write_panel(walk, row_tiles, spec_.last_columns); });
}

void amx_kernel_t::write_panel(const walk_t &walk, int row_tiles, int columns) {
    constexpr int most_columns = most_tiles * amx_columns;
    for (int first = 0; first < columns; first += most_columns)
        write_columns(walk, row_tiles, first, std::min(most_columns, columns - first));
}

/// Calls `body(sum, address)` for each tile of sums. Registers of what moves along K, which does
/// not move meanwhile, have the addresses.
template <typename body_t>
void amx_kernel_t::for_each_sum(
        const walk_t &walk, int row_tiles, int first_column, int column_tiles, const body_t &body) {
    mov(*walk.a, argument(offsetof(amx_args_t, run_sums)));
    mov(*walk.a_pitch, argument(offsetof(amx_args_t, sums_pitch)));
    set_lower_rows(walk, row_tiles);
    for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
        for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
            body(sum_at(row_tile, column_tile),
                    ptr[*walk.a_of(row_tile) + *walk.a_pitch + first_column * 4
                            + column_tile * amx_row_bytes]);
}

/// The address of the rows of the second tile.
void amx_kernel_t::set_lower_rows(const walk_t &walk, int row_tiles) {
    if (row_tiles == 1) return;
    mov(*walk.lower_a, *walk.a_pitch);
    shl(*walk.lower_a, amx_rows_shift);
    add(*walk.lower_a, *walk.a);
}

/// The sums of one or two vectors of columns.
void amx_kernel_t::write_columns(const walk_t &walk, int row_tiles, int first_column, int columns) {
    const int column_tiles = divide_up(columns, amx_columns);
    Xbyak::Label adds, products;
    cmp(argument(offsetof(amx_args_t, adds)), 0);
    jne(adds, T_NEAR);
    for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
        for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
            tilezero(sum_at(row_tile, column_tile));
    jmp(products, T_NEAR);
    L(adds);
    for_each_sum(walk, row_tiles, first_column, column_tiles,
            [&](const Tmm &sum, const Xbyak::Address &at) { tileloadd(sum, at); });
    L(products);

    mov(*walk.b, argument(offsetof(amx_args_t, run_b)));
    if (first_column != 0) add(*walk.b, first_column * 4);
    mov(*walk.a, argument(offsetof(amx_args_t, a)));
    mov(*walk.a_pitch, argument(offsetof(amx_args_t, a_pitch)));
    set_lower_rows(walk, row_tiles);
    mov(*walk.left, argument(offsetof(amx_args_t, run_steps)));
    Xbyak::Label fetches_nothing, rest;
    if (spec_.dst_size != 0) {
        mov(*walk.dst, argument(offsetof(amx_args_t, fetched_dst)));
        test(*walk.dst, *walk.dst);
        je(fetches_nothing, T_NEAR);
        write_steps(walk, row_tiles, column_tiles, true);
        add(argument(offsetof(amx_args_t, fetched_dst)), columns * spec_.dst_size);
        jmp(rest, T_NEAR);
        L(fetches_nothing);
    }
    write_steps(walk, row_tiles, column_tiles, false);
    L(rest);
    unless_zero(argument(offsetof(amx_args_t, run_rest)), [&] {
        mov(*walk.a, argument(offsetof(amx_args_t, a_rest)));
        mov(*walk.a_pitch, argument(offsetof(amx_args_t, rest_pitch)));
        set_lower_rows(walk, row_tiles);
        write_step(walk, row_tiles, column_tiles);
        if (results_) results_->finish_some();
    });
    // Pending sums may lie where these are stored.
    if (results_) results_->finish_all();
    for_each_sum(walk, row_tiles, first_column, column_tiles,
            [&](const Tmm &sum, const Xbyak::Address &at) { tilestored(at, sum); });
    if (!results_) return;
    unless_zero(argument(offsetof(amx_args_t, run_finishes)), [&] {
        results_->set_pending(argument(offsetof(amx_args_t, run_sums)),
                argument(offsetof(amx_args_t, rows)), first_column, columns);
    });
}

void amx_kernel_t::write_steps(
        const walk_t &walk, int row_tiles, int column_tiles, bool fetches_dst) {
    repeat_if_any(*walk.left, [&] {
        for (int line = 0; line < spec_.lines_ahead; ++line) {
            const Xbyak::Address at = ptr[*walk.ahead + line * cache_line_bytes];
            spec_.fetches_near ? prefetcht0(at) : prefetcht1(at);
        }
        if (spec_.lines_ahead != 0) add(*walk.ahead, spec_.lines_ahead * cache_line_bytes);
        if (fetches_dst) fetch_rows_of_dst(walk, row_tiles, column_tiles);
        write_step(walk, row_tiles, column_tiles);
        if (results_) results_->finish_some();
        for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
            add(*walk.a_of(row_tile), spec_.a_step_bytes());
        add(*walk.b, step_bytes());
    });
}

void amx_kernel_t::fetch_rows_of_dst(const walk_t &walk, int row_tiles, int column_tiles) {
    const int rows = divide_up(spec_.dst_rows * row_tiles, most_tiles);
    const int bytes = column_tiles * amx_columns * spec_.dst_size;
    for (int row = 0; row < rows; ++row) {
        for (int offset = 0; offset < bytes; offset += static_cast<int>(cache_line_bytes))
            prefetchw(ptr[*walk.dst + offset]);
        add(*walk.dst,
                argument(offsetof(amx_args_t, results) + offsetof(amx_results_args_t, dst_pitch)));
    }
}

void amx_kernel_t::write_step(const walk_t &walk, int row_tiles, int column_tiles) {
    for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
        tileloaddt1(b_at(column_tile), ptr[*walk.b + *walk.b_pitch + column_tile * amx_row_bytes]);
    for (int row_tile = 0; row_tile < row_tiles; ++row_tile)
        for (int copy = 0; copy < a_copies(spec_.step()); ++copy) {
            tileloadd(a_at(row_tile),
                    ptr[*walk.a_of(row_tile) + *walk.a_pitch + copy * amx_row_bytes]);
            for (int column_tile = 0; column_tile < column_tiles; ++column_tile)
                multiply(sum_at(row_tile, column_tile), a_at(row_tile), b_at(column_tile));
        }
}

void amx_kernel_t::multiply(const Tmm &sum, const Tmm &a, const Tmm &b) {
    if (spec_.a_type == dnnl_bf16) return tdpbf16ps(sum, a, b);
    const bool a_is_signed = spec_.a_type == dnnl_s8, b_is_signed = spec_.b_type == dnnl_s8;
    if (a_is_signed)
        b_is_signed ? tdpbssd(sum, a, b) : tdpbsud(sum, a, b);
    else
        b_is_signed ? tdpbusd(sum, a, b) : tdpbuud(sum, a, b);
}

} // namespace kiln::x64::matrix
