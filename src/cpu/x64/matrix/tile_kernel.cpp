// SPDX-License-Identifier: Apache-2.0
// The kernel of matrix products.

#include "cpu/x64/matrix/tile_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/integers.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {

namespace {

/// Rows at most: their addresses are in five registers.
constexpr int rows_with_bases = 5 * rows_of_base;

/// Whether accumulators, a row or a column of the operand with fewer vectors, and one vector of the
/// other fit into the registers, and with `sums_b` the sums of columns and a vector of ones.
bool fits(isa_t isa, step_t step, int rows, int vectors, bool sums_b) {
    // Integers of B as they are packed, and converted, the table or a product, an element of A.
    constexpr int of_conversion = 4;
    if (has_digits(step) && rows * digit_places > rows_of_group) return false;
    if (converts_b(step))
        return rows * a_parts(step) * vectors + of_conversion <= jit::vectors_of(isa);
    // Behind the loop: a register for each of what is added to integers, and what comes of both.
    constexpr int of_integers = 3;
    const int of_step = std::min(rows, vectors) + 1 + has_product(isa, step) + sums_b;
    return (rows + sums_b) * vectors + std::max(of_step, is_integer(step) ? of_integers : 0)
           <= jit::vectors_of(isa);
}

} // namespace

int most_rows(isa_t isa, step_t step, int vectors, bool sums_b) {
    int rows = 1;
    while (rows < rows_with_bases && fits(isa, step, rows + 1, vectors, sums_b)) ++rows;
    return rows;
}

int most_vectors(isa_t isa, step_t step, int rows, bool sums_b) {
    int vectors = 1;
    while (fits(isa, step, rows, vectors + 1, sums_b)) ++vectors;
    return vectors;
}

int most_joined_vectors(isa_t isa, int rows, bool sums_b) {
    // Two indices, a row of B, and a vector of the operand that is not held; or one index, and
    // two vectors of B.
    constexpr int of_join = 4;
    const auto fits = [&](int vectors) {
        return (rows + sums_b) * vectors + std::min(rows, vectors) + sums_b + of_join
               <= jit::vectors_of(isa);
    };
    int vectors = 0;
    while (fits(vectors + 1)) ++vectors;
    return vectors;
}

std::string tile_spec_t::name() const {
    std::string text =
            "matrix_tile_" + prefix_of(step) + std::to_string(rows) + "x" + std::to_string(vectors);
    if (copies_b || !is_packed) text += copies_b ? "_copying" : "_in_place";
    if (streams > 1) text += "_streams";
    if (a_is_transposed) text += "_transposed";
    if (a_is_signed) text += "_signed";
    if (groups.exist()) text += "_groups";
    if (has_blocks) text += "_blocks";
    if (!epilogue.empty()) text += "_epilogue";
    return jit::kernel_name(
            text, {step == step_t::bf16 || step == step_t::s16 ? dnnl_f32 : b_type, dst_type}, isa);
}

tile_kernel_t::sums_t::sums_t(tile_kernel_t &k, int columns)
    : vectors(divide_up(columns, k.lanes()))
    , last(columns - (vectors - 1) * k.lanes()) {
    for (int i = 0; i < k.spec_.part_rows() * vectors; ++i) vecs.push_back(k.vec("sum"));
}

tile_kernel_t::tile_kernel_t(const tile_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this)
    , epilogue_(*this, io_, spec.epilogue) {}

void tile_kernel_t::generate() {
    column_.emplace(gpr("column"));
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail % lanes());
    if (is_half_byte(spec_.b_type) || is_half_byte(spec_.groups.b_zero.type))
        io_.prepare_half_bytes();
    prepare_conversions();
    if (spec_.joins_rows()) join_.emplace(*this, io_);
    Xbyak::Label again, end;
    L(again);
    write_strip();
    dec(argument(offsetof(tile_args_t, strips)));
    jz(end, T_NEAR);
    advance_to_next_strip();
    jmp(again, T_NEAR);
    L(end);
    column_.reset();
    table_.reset();
    join_.reset();
    io_.release();
}

void tile_kernel_t::write_strip() {
    Xbyak::Label tail;
    xor_(**column_, **column_);
    {
        const gpr_t panels = gpr("panels", argument(offsetof(tile_args_t, panels)));
        mov(argument(offsetof(tile_args_t, left_panels)), *panels);
        test(*panels, *panels);
    }
    jz(tail, T_NEAR);
    repeat(argument(offsetof(tile_args_t, left_panels)), [&] {
        write_panel(spec_.width());
        const gpr_t panel = gpr("distance of panels", argument(offsetof(tile_args_t, b_panel)));
        add(argument(offsetof(tile_args_t, b)), *panel);
        add(argument(offsetof(tile_args_t, b_ahead)), *panel);
        if (spec_.lines_ahead != 0) {
            mov(*panel, argument(offsetof(tile_args_t, next_panel)));
            add(argument(offsetof(tile_args_t, b_next)), *panel);
        }
        if (spec_.copies_b) {
            mov(*panel, argument(offsetof(tile_args_t, copy_panel)));
            add(argument(offsetof(tile_args_t, copy)), *panel);
        }
        add(**column_, spec_.width());
    });
    L(tail);
    if (spec_.tail != 0)
        unless_zero(argument(offsetof(tile_args_t, has_tail)), [&] { write_panel(spec_.tail); });
}

/// B is read again, from its first panel; addresses of rows advance.
void tile_kernel_t::advance_to_next_strip() {
    const gpr_t distance = gpr("distance of strips");
    mov(*distance, argument(offsetof(tile_args_t, b_panel)));
    imul(*distance, argument(offsetof(tile_args_t, panels)));
    sub(argument(offsetof(tile_args_t, b)), *distance);
    sub(argument(offsetof(tile_args_t, b_ahead)), *distance);
    const auto advance = [&](size_t address, size_t pitch) {
        imul(*distance, argument(pitch), spec_.rows);
        add(argument(address), *distance);
    };
    if (spec_.a_is_transposed)
        add(argument(offsetof(tile_args_t, a)), spec_.rows * 4);
    else
        advance(offsetof(tile_args_t, a), offsetof(tile_args_t, a_pitch));
    advance(offsetof(tile_args_t, partial), offsetof(tile_args_t, partial_pitch));
    advance(offsetof(tile_args_t, dst), offsetof(tile_args_t, dst_pitch));
    for (size_t i = 0; i < spec_.pitches.size(); ++i) {
        if (spec_.pitches[i] == 0) continue;
        mov(*distance, spec_.rows * spec_.pitches[i]);
        add(argument(offsetof(tile_args_t, operands) + i * sizeof(void *)), *distance);
    }
    mov(*distance, argument(offsetof(tile_args_t, strip_values)));
    for (const size_t values : {offsetof(tile_args_t, a_sums), offsetof(tile_args_t, a_scales),
                 offsetof(tile_args_t, a_zeros)})
        add(argument(values), *distance);
}

void tile_kernel_t::write_panel(int columns) {
    sums_t sums(*this, columns);
    if (spec_.has_blocks) fetch_partial(columns);
    if (spec_.groups.exist()) {
        write_groups(sums);
    } else {
        for (const vec_t &sum : sums.vecs) set_zero(sum);
        for (int v = 0; spec_.sums_b && v < sums.vectors; ++v)
            set_zero(b_sums_.emplace_back(vec("sum of B")));
        write_products(sums);
        if (spec_.sums_b) subtract_sums_of_b(sums);
        if (spec_.needs_sums_of_a()) subtract_sums_of_a(sums);
    }
    if (!spec_.has_blocks) return write_results(sums);
    Xbyak::Label is_last, end;
    unless_zero(argument(offsetof(tile_args_t, adds)), [&] { add_partial(sums); });
    cmp(argument(offsetof(tile_args_t, finishes)), 0);
    jne(is_last, T_NEAR);
    store_rows(
            sums, offsetof(tile_args_t, partial), offsetof(tile_args_t, partial_pitch), sum_type());
    jmp(end, T_NEAR);
    L(is_last);
    write_results(sums);
    L(end);
}

} // namespace kiln::x64::matrix
