// SPDX-License-Identifier: Apache-2.0
// Results from sums by AMX.

#include "cpu/x64/matrix/amx_results.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/x64/matrix/epilogue.hpp"
#include "cpu/x64/matrix/groups.hpp"

namespace kiln::x64::matrix {

using Xbyak::RegExp;
using Xbyak::Xmm;

namespace {

constexpr size_t next_place = offsetof(amx_results_args_t, next);
constexpr size_t pending_place = offsetof(amx_results_args_t, pending);
constexpr size_t dst_of_place = offsetof(amx_results_place_t, dst);
constexpr size_t offset_of_place(size_t index) {
    return offsetof(amx_results_place_t, offsets) + index * sizeof(amx_results_place_t::offset_t);
}
constexpr size_t columns_of_place(size_t index) {
    return offset_of_place(index) + offsetof(amx_results_place_t::offset_t, columns);
}
constexpr size_t rows_of_place(size_t index) {
    return offset_of_place(index) + offsetof(amx_results_place_t::offset_t, rows);
}
constexpr size_t operand_of_place(size_t index) {
    return offsetof(amx_results_place_t, operands) + index * sizeof(void *);
}

} // namespace

amx_results_t::amx_results_t(jit::generator_t &g, const amx_results_spec_t &spec,
        const RegExp &args, const Xbyak::Address &sums_pitch, int tail)
    : g_(g)
    , spec_(spec)
    , args_(args)
    , sums_pitch_(sums_pitch)
    , operands_(jit::operands_of(spec.epilogue))
    , scaling_(spec.epilogue, spec.pitches)
    , io_(g)
    , epilogue_(g, io_, spec.epilogue)
    , sums_(g.gpr("pending sums", field(offsetof(amx_results_args_t, pending_sums))))
    , dst_(g.gpr("dst of pending rows", field(pending_place + dst_of_place)))
    , rows_(g.gpr("pending rows", field(offsetof(amx_results_args_t, pending_rows))))
    , count_(g.gpr("rows to finish"))
    , base_(g.gpr("operand")) {
    if (tail % g.lanes() != 0) io_.prepare_tail(tail % g.lanes());
    for (const amx_offset_t &offset : spec.offsets)
        if (is_half_byte(offset.of_columns)) io_.prepare_half_bytes();
    hold_numbers();
}

bool amx_results_t::adds_integers() const {
    return spec_.are_integers && only_adds(spec_.epilogue, true, spec_.dst_type);
}

void amx_results_t::hold_numbers() {
    Xbyak::Label absent; // in a call that computes nothing
    held_ = epilogue_.hold(
            [&](size_t index) {
                return spec_.pitches[index] == 0 && !adds_integers()
                       && !scaling_.has_operand(index);
            },
            [&](int index) {
                g_.mov(*base_, field(next_place + operand_of_place(static_cast<size_t>(index))));
                g_.test(*base_, *base_);
                g_.jz(absent, jit::generator_t::T_NEAR);
                return RegExp(*base_);
            });
    if (multiplies_by_reciprocal()) {
        std::optional<jit::vec_t> &high = held_.end()[-2], &low = held_.back();
        if (high && low) g_.vaddps(**high, **high, **low);
        if (!low) high.reset();
        low.reset();
    }
    g_.L(absent);
}

void amx_results_t::store() {
    g_.mov(field(offsetof(amx_results_args_t, pending_sums)), *sums_);
    g_.mov(field(pending_place + dst_of_place), *dst_);
    g_.mov(field(offsetof(amx_results_args_t, pending_rows)), *rows_);
}

void amx_results_t::set_pending(
        const Xbyak::Address &sums, const Xbyak::Address &rows, int column, int columns) {
    if (std::ranges::find(widths_, columns) == widths_.end()) widths_.push_back(columns);
    g_.mov(*sums_, sums);
    if (column != 0) g_.add(*sums_, column * 4);
    move_place(next_place, pending_place, column);
    g_.mov(*dst_, field(pending_place + dst_of_place));
    g_.mov(field(offsetof(amx_results_args_t, pending_columns)), columns);
    g_.mov(*rows_, rows);
    if (scaling_.has_factors()) store_scaling(columns);
}

void amx_results_t::advance(int columns) { move_place(next_place, next_place, columns); }

/// The place at `to` = that at `from`, `columns` columns on.
void amx_results_t::move_place(size_t from, size_t to, int columns) {
    const auto move = [&](size_t source, size_t target, int bytes) {
        if (bytes == 0 && source == target) return;
        g_.mov(*base_, field(source));
        if (bytes != 0) g_.add(*base_, bytes);
        g_.mov(field(target), *base_);
    };
    move(from + dst_of_place, to + dst_of_place, columns * g_.size_of(spec_.dst_type));
    for (size_t i = 0; i < amx_offset_count; ++i) {
        const amx_offset_t &offset = spec_.offsets[i];
        if (offset.has_columns())
            move(from + columns_of_place(i), to + columns_of_place(i),
                    bytes_of(offset.of_columns, columns));
        if (offset.of_rows) move(from + rows_of_place(i), to + rows_of_place(i), 0);
    }
    for (size_t i = 0; i < operands_.size(); ++i)
        if (!held_[i])
            move(from + operand_of_place(i), to + operand_of_place(i),
                    operands_[i].per_lane ? columns * g_.size_of(operands_[i].type) : 0);
}

void amx_results_t::finish_some() { finish(field(offsetof(amx_results_args_t, rows_of_step))); }

void amx_results_t::finish_all() { finish(*rows_); }

void amx_results_t::finish(const Xbyak::Operand &count) {
    Xbyak::Label end;
    g_.test(*rows_, *rows_);
    g_.je(end);
    g_.mov(*count_, count);
    g_.call(routine_);
    g_.L(end);
}

void amx_results_t::write_routine() {
    g_.L(routine_);
    Xbyak::Label end;
    for (size_t i = 0; i < widths_.size(); ++i) {
        Xbyak::Label next;
        if (i + 1 < widths_.size()) {
            g_.cmp(field(offsetof(amx_results_args_t, pending_columns)), widths_[i]);
            g_.jne(next, jit::generator_t::T_NEAR);
        }
        if (may_have_bounded_results()) {
            Xbyak::Label unbounded;
            g_.cmp(field(offsetof(amx_results_args_t, are_bounded)), 0);
            g_.je(unbounded, jit::generator_t::T_NEAR);
            write_rows(widths_[i], true);
            g_.jmp(end, jit::generator_t::T_NEAR);
            g_.L(unbounded);
        }
        write_rows(widths_[i], false);
        if (i + 1 < widths_.size()) g_.jmp(end, jit::generator_t::T_NEAR);
        g_.L(next);
    }
    g_.L(end);
    g_.ret();
}

/// As many rows as `count_` says, or as are pending.
void amx_results_t::write_rows(int columns, bool are_bounded) {
    Xbyak::Label again, end;
    hold_columns(columns);
    g_.L(again);
    write_row(columns, are_bounded);
    g_.add(*sums_, sums_pitch_);
    g_.add(*dst_, field(offsetof(amx_results_args_t, dst_pitch)));
    for (size_t i = 0; i < amx_offset_count; ++i)
        if (spec_.offsets[i].of_rows) g_.add(field(pending_place + rows_of_place(i)), 4);
    for (size_t i = 0; i < operands_.size(); ++i) {
        if (spec_.pitches[i] == 0) continue;
        g_.add(field(pending_place + operand_of_place(i)), static_cast<int>(spec_.pitches[i]));
    }
    g_.dec(*rows_);
    g_.jz(end);
    g_.dec(*count_);
    g_.jnz(again, jit::generator_t::T_NEAR);
    g_.L(end);
    held_columns_.clear();
}

bool amx_results_t::has_free_register() const {
    constexpr int sums = 1, of_store = 4, of_offset = 1;
    const int temporaries = std::max(jit::post_op_temporaries(spec_.epilogue), of_store);
    return g_.free_vecs() > sums + of_offset + temporaries;
}

void amx_results_t::hold_columns(int columns) {
    for (int column = 0; column < columns; column += g_.lanes()) {
        const int count = std::min(g_.lanes(), columns - column);
        held_columns_t &held = held_columns_.emplace_back();
        held.operands.resize(operands_.size());
        if (scaling_.has_factors() && has_free_register()) {
            held.factors.emplace(g_.vec("factors"));
            g_.vmovups(**held.factors, factors_at(column));
        }
        if (scaling_.has_addends() && has_free_register()) {
            held.addends.emplace(g_.vec("addends"));
            g_.vmovups(**held.addends, addends_at(column));
        }
        for (size_t i = 0; i < amx_offset_count; ++i)
            if (spec_.offsets[i].has_columns() && has_free_register())
                held.offsets[i].emplace(load_offset(i, column, count));
        for (size_t i = 0; i < operands_.size() && !adds_integers(); ++i)
            if (operands_[i].per_lane && spec_.pitches[i] == 0 && !scaling_.has_operand(i)
                    && has_free_register())
                held.operands[i].emplace(
                        epilogue_.load(operands_[i], operand_at(i, column), count));
    }
}

void amx_results_t::write_row(int columns, bool are_bounded) {
    const bool are_bits = spec_.are_integers && spec_.dst_type == dnnl_s32
                          && (adds_integers() || epilogue_.empty());
    const bool are_floats = !spec_.are_integers || are_bits;
    const bool has_offsets = std::ranges::any_of(spec_.offsets, &amx_offset_t::exists);
    for (int column = 0; column < columns; column += g_.lanes()) {
        const int count = std::min(g_.lanes(), columns - column);
        const jit::vec_t x = g_.vec("result");
        const Xbyak::Address sums = g_.ptr[*sums_ + column * 4];
        if (are_floats || has_offsets) g_.vmovups(*x, sums);
        for (size_t i = 0; i < amx_offset_count; ++i) subtract(x, i, column, count);
        if (adds_integers()) add_integers(x, column, count);
        if (!are_floats) has_offsets ? g_.vcvtdq2ps(*x, *x) : g_.vcvtdq2ps(*x, sums);
        if (!are_bits) apply_epilogue(x, column, count);
        const RegExp at = *dst_ + column * g_.size_of(spec_.dst_type);
        const jit::store_t how = spec_.is_non_temporal && count == g_.lanes()
                                         ? jit::store_t::non_temporal
                                         : jit::store_t::ordinary;
        // The bits of integers are moved as those of floats.
        if (are_bounded)
            io_.store_bounded(x, at, count, how);
        else
            io_.store(x, are_bits ? dnnl_f32 : spec_.dst_type, at, count, how);
        if (!spec_.fetches_dst) continue;
        // The line in which this vector of the next panel ends; it begins in the line before.
        const int last = columns + column + g_.lanes() - 1;
        g_.prefetchw(g_.ptr[*dst_ + last * g_.size_of(spec_.dst_type)]);
    }
}

RegExp amx_results_t::operand_at(size_t index, int column) {
    g_.mov(*base_, field(pending_place + operand_of_place(index)));
    if (!operands_[index].per_lane) return RegExp(*base_);
    return *base_ + column * g_.size_of(operands_[index].type);
}

/// Values of columns that an offset has, as integers.
jit::vec_t amx_results_t::load_offset(size_t index, int column, int count) {
    const data_type_t type = spec_.offsets[index].of_columns;
    jit::vec_t values = g_.vec("values of columns");
    g_.mov(*base_, field(pending_place + columns_of_place(index)));
    // The bits of integers are moved as those of floats.
    io_.load(values, type == dnnl_s32 ? dnnl_f32 : type, *base_ + bytes_of(type, column), count);
    if (type != dnnl_s32) g_.vcvtps2dq(*values, *values);
    return values;
}

void amx_results_t::subtract(const Xmm &sums, size_t index, int column, int count) {
    const amx_offset_t &offset = spec_.offsets[index];
    if (!offset.exists()) return;
    const auto &held = held_columns_[static_cast<size_t>(column / g_.lanes())].offsets[index];
    std::optional<jit::vec_t> loaded;
    if (offset.has_columns() && !held) loaded.emplace(load_offset(index, column, count));
    if (!offset.of_rows) return g_.vpsubd(sums, sums, held ? **held : **loaded);
    g_.mov(*base_, field(pending_place + rows_of_place(index)));
    if (!offset.has_columns()) return g_.vpsubd(sums, sums, g_.ptr_b[*base_]);
    const jit::vec_t products = g_.vec("products");
    g_.vpmulld(*products, held ? **held : **loaded, g_.ptr_b[*base_]);
    g_.vpsubd(sums, sums, *products);
}

/// The sums of integers of 64 bits, saturated.
void amx_results_t::add_integers(const Xmm &sums, int column, int count) {
    const jit::vec_t low = g_.vec("lower sums"), high = g_.vec("upper sums");
    const auto widen = [&](const Xmm &to_low, const Xmm &to_high, const Xmm &from) {
        g_.vextractf64x4(g_.ymm(to_high), g_.zmm(from), 1);
        g_.vpmovsxdq(g_.zmm(to_high), g_.ymm(to_high));
        g_.vpmovsxdq(g_.zmm(to_low), g_.ymm(from));
    };
    widen(low, high, sums);
    const jit::vec_t addend = g_.vec("addend"), upper = g_.vec("upper addend");
    for (size_t i = 0; i < operands_.size(); ++i) {
        const RegExp at = operand_at(i, column);
        // The bits of integers are moved as those of floats.
        if (operands_[i].per_lane)
            io_.load(addend, dnnl_f32, at, count);
        else
            io_.load_broadcast(addend, dnnl_f32, at);
        widen(addend, upper, addend);
        g_.vpaddq(*low, *low, *addend);
        g_.vpaddq(*high, *high, *upper);
    }
    g_.vpmovsqd(g_.ymm(sums), g_.zmm(low));
    g_.vpmovsqd(g_.ymm(high), g_.zmm(high));
    g_.vinsertf64x4(g_.zmm(sums), g_.zmm(sums), g_.ymm(high), 1);
}

} // namespace kiln::x64::matrix
