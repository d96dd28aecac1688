// SPDX-License-Identifier: Apache-2.0
// The kernel that multiplies rows of bf16 by packed integers with AMX.

#include "cpu/x64/matrix/amx_compressed.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matrix {

using Xbyak::Tmm;

namespace {

Tmm sum_register(int row_tile, int vector, const amx_compressed_spec_t &spec) {
    return Tmm(row_tile * spec.vectors_of_pass() + vector);
}
Tmm a_register(int row_tile) { return Tmm(4 + row_tile); }
Tmm b_register(int vector) { return Tmm(6 + vector % 2); }

/// Bytes from a column's value to that of another column.
int column_bytes(const group_operand_t &operand, int columns) {
    return operand.per_lane ? bytes_of(operand.type, columns) : 0;
}

/// How far ahead of their conversion integers are fetched.
constexpr int bytes_ahead = 1536;

} // namespace

std::string amx_compressed_spec_t::name() const {
    std::string text =
            "matrix_amx_compressed_" + std::to_string(row_tiles) + "x" + std::to_string(vectors);
    if (scale.exists()) text += "_scales";
    if (zero.exists()) text += "_zeros";
    return jit::kernel_name(text, {b_type, dnnl_bf16}, isa);
}

void amx_compressed_args_t::set_rows(const amx_compressed_spec_t &spec, dim_t count) {
    rows = count;
    configuration = {};
    const int vectors = spec.vectors_of_pass();
    for (int row_tile = 0; row_tile < spec.row_tiles; ++row_tile) {
        const dim_t tile_rows = std::min<dim_t>(amx_rows, count - row_tile * amx_rows);
        configuration.set(a_register(row_tile), tile_rows);
        for (int vector = 0; vector < vectors; ++vector)
            configuration.set(sum_register(row_tile, vector, spec), tile_rows);
    }
    configuration.set(b_register(0), amx_rows);
    configuration.set(b_register(1), amx_rows);
}

/// General registers of a pass. `from` and `to`: steps as AMX multiplies them.
struct amx_compressed_kernel_t::walk_t {
    explicit walk_t(amx_compressed_kernel_t &k)
        : a(k.gpr("rows of A"))
        , lower_a(k.gpr("rows of the second tile"))
        , a_pitch(k.gpr("pitch of A"))
        , b(k.gpr("integers"))
        , from(k.gpr("step that is multiplied"))
        , to(k.gpr("step that is converted"))
        , pitch(k.gpr("pitch of steps"))
        , left(k.gpr("steps left"))
        , operand(k.gpr("operand"))
        , rows(k.gpr("rows left")) {}
    const gpr_t &a_of(int row_tile) const { return row_tile == 0 ? a : lower_a; }

    gpr_t a, lower_a, a_pitch, b, from, to, pitch, left, operand, rows;
};

amx_compressed_kernel_t::amx_compressed_kernel_t(const amx_compressed_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void amx_compressed_kernel_t::generate() {
    ldtilecfg(ptr[arguments() + offsetof(amx_compressed_args_t, configuration)]);
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail % lanes());
    if (is_half_byte(spec_.zero.type)) io_.prepare_half_bytes();
    pairs_.emplace(*this, spec_.b_type, spec_.zero, spec_.vectors_of_pass());
    {
        const walk_t walk(*this);
        repeat(argument(offsetof(amx_compressed_args_t, panels)), [&] {
            for (int first = 0; first < spec_.vectors; first += spec_.vectors_of_pass())
                write_pass(walk, first, std::min(spec_.vectors_of_pass(), spec_.vectors - first));
            const int columns = spec_.vectors * lanes();
            const auto advance = [&](size_t offset, int bytes) {
                if (bytes != 0) add(argument(offset), bytes);
            };
            advance(offsetof(amx_compressed_args_t, sums), columns * 4);
            advance(offsetof(amx_compressed_args_t, scales), column_bytes(spec_.scale, columns));
            advance(offsetof(amx_compressed_args_t, zeros), column_bytes(spec_.zero, columns));
            mov(*walk.operand, argument(offsetof(amx_compressed_args_t, b_panel)));
            add(argument(offsetof(amx_compressed_args_t, b)), *walk.operand);
        });
    }
    pairs_.reset();
    tilerelease();
    io_.release();
}

/// The addresses of a pass, and the steps that are left of its first groups.
void amx_compressed_kernel_t::start_pass(const walk_t &walk, int first, int count) {
    using args_t = amx_compressed_args_t;
    const auto set = [&](size_t to, size_t from, int bytes = 0) {
        mov(*walk.operand, argument(from));
        if (bytes != 0) add(*walk.operand, bytes);
        mov(argument(to), *walk.operand);
    };
    const int column = first * lanes();
    set(offsetof(args_t, pass_sums), offsetof(args_t, sums), column * 4);
    if (spec_.scale.exists()) {
        set(offsetof(args_t, pass_scales), offsetof(args_t, scales),
                column_bytes(spec_.scale, column));
        set(offsetof(args_t, multiplied_left), offsetof(args_t, group_steps));
    }
    if (spec_.zero.exists()) {
        set(offsetof(args_t, pass_zeros), offsetof(args_t, zeros),
                column_bytes(spec_.zero, column));
        set(offsetof(args_t, converted_left), offsetof(args_t, group_steps));
    }
    mov(*walk.b, argument(offsetof(args_t, b)));
    if (first != 0) add(*walk.b, first * amx_row_bytes);
    mov(*walk.a, argument(offsetof(args_t, a)));
    mov(*walk.a_pitch, argument(offsetof(args_t, a_pitch)));
    set_lower_rows(walk);
    mov(*walk.pitch, count * amx_row_bytes);
    mov(*walk.from, argument(offsetof(args_t, buffer)));
    mov(*walk.to, *walk.from);
}

/// The sums of some vectors of a panel.
void amx_compressed_kernel_t::write_pass(const walk_t &walk, int first, int count) {
    using args_t = amx_compressed_args_t;
    start_pass(walk, first, count);
    if (spec_.zero.exists()) load_zeros(walk, first, count);
    clear_sums(count);
    const auto find_zeros = [&] {
        if (!spec_.zero.exists()) return;
        Xbyak::Label in_group;
        cmp(argument(offsetof(args_t, converted_left)), 0);
        jne(in_group, T_NEAR);
        start_group(walk, offsetof(args_t, converted_left), offsetof(args_t, pass_zeros),
                offsetof(args_t, zero_pitch));
        load_zeros(walk, first, count);
        L(in_group);
        dec(argument(offsetof(args_t, converted_left)));
    };
    const auto finish_group = [&] {
        if (!spec_.scale.exists()) return;
        Xbyak::Label in_group;
        dec(argument(offsetof(args_t, multiplied_left)));
        jnz(in_group, T_NEAR);
        add_group(walk, first, count);
        clear_sums(count);
        start_group(walk, offsetof(args_t, multiplied_left), offsetof(args_t, pass_scales),
                offsetof(args_t, scale_pitch));
        L(in_group);
    };
    // The first steps are converted, the last ones multiplied, without others meanwhile.
    const auto repeat_ends = [&](const auto &body) {
        mov(*walk.left, argument(offsetof(args_t, steps)));
        mov(*walk.operand, steps_ahead);
        cmp(*walk.left, *walk.operand);
        cmovg(*walk.left, *walk.operand);
        repeat(*walk.left, body);
    };
    repeat_ends([&] {
        find_zeros();
        write_step(walk, count, work_t::converts);
    });
    mov(*walk.left, argument(offsetof(args_t, steps)));
    sub(*walk.left, steps_ahead);
    Xbyak::Label end;
    jle(end, T_NEAR);
    repeat(*walk.left, [&] {
        find_zeros();
        write_step(walk, count, work_t::both);
        finish_group();
    });
    L(end);
    repeat_ends([&] {
        write_step(walk, count, work_t::multiplies);
        finish_group();
    });
    unless_zero(argument(offsetof(args_t, rest_lanes)), [&] { write_rest(walk, count); });
    if (!spec_.scale.exists()) store_sums(walk, count);
}

/// Moves on to the values of the next group, whose steps are left.
void amx_compressed_kernel_t::start_group(
        const walk_t &walk, size_t left, size_t operand, size_t pitch) {
    mov(*walk.operand, argument(pitch));
    add(argument(operand), *walk.operand);
    mov(*walk.operand, argument(offsetof(amx_compressed_args_t, group_steps)));
    mov(argument(left), *walk.operand);
}

/// The address of the rows of the second tile.
void amx_compressed_kernel_t::set_lower_rows(const walk_t &walk) {
    if (spec_.row_tiles == 1) return;
    mov(*walk.lower_a, *walk.a_pitch);
    shl(*walk.lower_a, amx_rows_shift);
    add(*walk.lower_a, *walk.a);
}

void amx_compressed_kernel_t::clear_sums(int count) {
    for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
        for (int vector = 0; vector < count; ++vector)
            tilezero(sum_register(row_tile, vector, spec_));
}

void amx_compressed_kernel_t::store_sums(const walk_t &walk, int count) {
    mov(*walk.a, argument(offsetof(amx_compressed_args_t, pass_sums)));
    mov(*walk.a_pitch, argument(offsetof(amx_compressed_args_t, sums_pitch)));
    set_lower_rows(walk);
    for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
        for (int vector = 0; vector < count; ++vector)
            tilestored(ptr[*walk.a_of(row_tile) + *walk.a_pitch + vector * amx_row_bytes],
                    sum_register(row_tile, vector, spec_));
}

/// Multiplies a step, converts the next one, or both by turns.
void amx_compressed_kernel_t::write_step(const walk_t &walk, int count, work_t work) {
    const bool multiplies = work != work_t::converts, converts = work != work_t::multiplies;
    const int units = spec_.lanes_of_step() * count;
    if (multiplies) load_a(walk);
    for (int vector = 0; vector < count; ++vector) {
        if (multiplies) multiply(walk, vector);
        if (!converts) continue;
        for (int unit = vector * units / count; unit < (vector + 1) * units / count; ++unit)
            convert(walk, walk.to, unit / count, unit % count, count);
    }
    if (multiplies)
        for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
            add(*walk.a_of(row_tile), amx_row_bytes);
    if (multiplies) next_place(walk.from);
    if (!converts) return;
    add(*walk.b, spec_.lanes_of_step() * lane_pitch());
    next_place(walk.to);
}

/// The place of the next step in the buffer, where the first one follows the last one.
void amx_compressed_kernel_t::next_place(const Reg64 &step) {
    add(step, amx_step_bytes);
    cmp(step, argument(offsetof(amx_compressed_args_t, buffer_end)));
    cmove(step, argument(offsetof(amx_compressed_args_t, buffer)));
}

void amx_compressed_kernel_t::load_a(const walk_t &walk) {
    for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
        tileloadd(a_register(row_tile), ptr[*walk.a_of(row_tile) + *walk.a_pitch]);
}

void amx_compressed_kernel_t::multiply(const walk_t &walk, int vector) {
    tileloadd(b_register(vector), ptr[*walk.from + *walk.pitch + vector * amx_row_bytes]);
    for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
        tdpbf16ps(sum_register(row_tile, vector, spec_), a_register(row_tile), b_register(vector));
}

/// Lanes behind the last step take places of the first one; its other elements, which are finite,
/// are multiplied by zeros.
void amx_compressed_kernel_t::write_rest(const walk_t &walk, int count) {
    mov(*walk.from, argument(offsetof(amx_compressed_args_t, buffer)));
    mov(*walk.to, *walk.from);
    mov(*walk.rows, argument(offsetof(amx_compressed_args_t, rest_lanes)));
    repeat(*walk.rows, [&] {
        for (int vector = 0; vector < count; ++vector) convert(walk, walk.to, 0, vector, count);
        add(*walk.b, lane_pitch());
        add(*walk.to, spec_.lane_depth() / 2 * count * amx_row_bytes);
    });
    mov(*walk.a, argument(offsetof(amx_compressed_args_t, a_rest)));
    mov(*walk.a_pitch, amx_row_bytes);
    set_lower_rows(walk);
    load_a(walk);
    for (int vector = 0; vector < count; ++vector) multiply(walk, vector);
}

/// The elements of a lane of each column of a vector.
void amx_compressed_kernel_t::convert(
        const walk_t &walk, const Reg64 &step, int lane, int vector, int count) {
    const RegExp at = *walk.b + lane * lane_pitch() + vector * amx_row_bytes;
    prefetcht0(ptr[at + bytes_ahead]);
    const int pitch = count * amx_row_bytes;
    pairs_->convert(at, vector,
            step + lane * spec_.lane_depth() / 2 * pitch + vector * amx_row_bytes, pitch);
}

/// Sums of a group, times its scales, are added to those of the groups before.
void amx_compressed_kernel_t::add_group(const walk_t &walk, int first, int count) {
    const gpr_t sums = gpr("sums of a group");
    mov(*sums, argument(offsetof(amx_compressed_args_t, buffer_end)));
    for (int row_tile = 0; row_tile < spec_.row_tiles; ++row_tile)
        for (int vector = 0; vector < count; ++vector)
            tilestored(ptr[*sums + *walk.pitch + row_tile * amx_rows * count * amx_row_bytes
                               + vector * amx_row_bytes],
                    sum_register(row_tile, vector, spec_));
    mov(*walk.operand, argument(offsetof(amx_compressed_args_t, pass_scales)));
    vecs_t scales;
    for (int vector = 0; vector < (spec_.scale.per_lane ? count : 1); ++vector)
        scales.push_back(vec("scale"));
    if (!spec_.scale.per_lane)
        io_.load_broadcast(scales[0], spec_.scale.type, RegExp(*walk.operand));
    else
        for_each_vector(first, count, [&](int vector, int columns) {
            io_.load(scales[vector], spec_.scale.type,
                    *walk.operand + column_bytes(spec_.scale, vector * lanes()), columns);
        });
    const vec_t total = vec("total");
    mov(*walk.operand, argument(offsetof(amx_compressed_args_t, pass_sums)));
    mov(*walk.rows, argument(offsetof(amx_compressed_args_t, rows)));
    repeat(*walk.rows, [&] {
        for (int vector = 0; vector < count; ++vector) {
            const int offset = vector * amx_row_bytes;
            vmovups(total, ptr[*walk.operand + offset]);
            vfmadd231ps(total, scales[spec_.scale.per_lane ? vector : 0], ptr[*sums + offset]);
            vmovups(ptr[*walk.operand + offset], total);
        }
        add(*sums, *walk.pitch);
        add(*walk.operand, argument(offsetof(amx_compressed_args_t, sums_pitch)));
    });
}

/// Calls `body(vector, columns)` for the vectors of a pass that have columns.
template <typename body_t>
void amx_compressed_kernel_t::for_each_vector(int first, int count, const body_t &body) {
    const auto write = [&](int columns) {
        for (int vector = 0; vector < count; ++vector) {
            const int left = columns - (first + vector) * lanes();
            if (left > 0) body(vector, std::min(lanes(), left));
        }
    };
    if (spec_.tail == 0) return write(spec_.vectors * lanes());
    Xbyak::Label whole, end;
    cmp(argument(offsetof(amx_compressed_args_t, has_tail)), 0);
    je(whole, T_NEAR);
    cmp(argument(offsetof(amx_compressed_args_t, panels)), 1);
    jne(whole, T_NEAR);
    write(spec_.tail);
    jmp(end, T_NEAR);
    L(whole);
    write(spec_.vectors * lanes());
    L(end);
}

void amx_compressed_kernel_t::load_zeros(const walk_t &walk, int first, int count) {
    mov(*walk.operand, argument(offsetof(amx_compressed_args_t, pass_zeros)));
    if (!spec_.zero.per_lane) return pairs_->load_common_zero(io_, RegExp(*walk.operand));
    for_each_vector(first, count, [&](int vector, int columns) {
        pairs_->load_zeros(
                io_, vector, *walk.operand + column_bytes(spec_.zero, vector * lanes()), columns);
    });
}

} // namespace kiln::x64::matrix
