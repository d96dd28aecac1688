// SPDX-License-Identifier: Apache-2.0
// Groups of steps with scales and zero points, in the kernel of matrix products. The sums of the
// groups before, called totals, are on the stack, then zero points of B as floats.

#include <cstddef>

#include "common/memory/data_type.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

namespace {

/// What is on the stack behind the totals: copies of arguments that change from group to group.
enum slot_t {
    groups_slot,
    a_slot,
    b_slot,
    ahead_slot,
    scales_slot,
    zeros_slot,
    sums_slot,
    a_scales_slot,
    b_sums_slot,
    a_zeros_slot,
    scale_left_slot,
    zero_left_slot,
    copy_slot,
    slot_count
};
constexpr int slot_bytes = 8;

struct copied_argument_t {
    slot_t slot;
    size_t offset;
};
constexpr copied_argument_t copied_arguments[] = {
        {groups_slot, offsetof(tile_args_t, groups)},
        {a_slot, offsetof(tile_args_t, a)},
        {b_slot, offsetof(tile_args_t, b)},
        {ahead_slot, offsetof(tile_args_t, b_ahead)},
        {scales_slot, offsetof(tile_args_t, b_scales)},
        {zeros_slot, offsetof(tile_args_t, b_zeros)},
        {sums_slot, offsetof(tile_args_t, a_sums)},
        {a_scales_slot, offsetof(tile_args_t, a_scales)},
        {b_sums_slot, offsetof(tile_args_t, b_sums)},
        {a_zeros_slot, offsetof(tile_args_t, a_zeros)},
        {scale_left_slot, offsetof(tile_args_t, b_scale_left)},
        {zero_left_slot, offsetof(tile_args_t, b_zero_left)},
        {copy_slot, offsetof(tile_args_t, copy)},
};

} // namespace

void tile_kernel_t::write_groups(sums_t &sums) {
    const int vector_bytes = lanes() * 4, totals = spec_.rows * sums.vectors;
    const int zeros = totals * vector_bytes;
    const int slots = zeros + sums.vectors * zero_places() * vector_bytes; // where they begin
    if (spec_.subtracts_zeros_of_b()) b_zeros_ = zeros;
    const int frame_bytes = slots + slot_count * slot_bytes + vector_bytes; // one more to align it
    const auto slot = [&](slot_t index) { return qword[**frame_ + slots + index * slot_bytes]; };
    sub(rsp, frame_bytes);
    frame_.emplace(gpr("totals of groups"));
    lea(**frame_, ptr[rsp + vector_bytes - 1]);
    and_(**frame_, -vector_bytes);
    {
        const gpr_t x = gpr("argument");
        for (const auto &[index, offset] : copied_arguments) {
            mov(*x, argument(offset));
            mov(slot(index), *x);
        }
    }
    set_zero(sums.vecs[0]);
    for (int i = 0; i < totals; ++i) vmovups(ptr[**frame_ + i * vector_bytes], *sums.vecs[0]);
    Xbyak::Label again, end;
    L(again);
    cmp(slot(groups_slot), 0);
    je(end, T_NEAR);
    if (b_zeros_) keep_zeros_of_b(sums, slots);
    begin_sums(sums, slots);
    write_products(sums);
    finish_group(sums, slots);
    {
        const gpr_t distance = gpr("distance of groups");
        const auto advance = [&](const Xbyak::Address &address, size_t offset) {
            mov(*distance, argument(offset));
            add(address, *distance);
        };
        advance(argument(offsetof(tile_args_t, a)), offsetof(tile_args_t, a_group));
        advance(argument(offsetof(tile_args_t, b)), offsetof(tile_args_t, b_group));
        advance(argument(offsetof(tile_args_t, b_ahead)), offsetof(tile_args_t, b_group));
        if (spec_.copies_b) {
            imul(*distance, argument(offsetof(tile_args_t, steps)), copied_bytes());
            add(argument(offsetof(tile_args_t, copy)), *distance);
        }
        const auto advance_value = [&](slot_t value, size_t pitch, slot_t left, int run) {
            Xbyak::Label same;
            if (run != 1) {
                dec(slot(left));
                jnz(same);
                mov(slot(left), run);
            }
            advance(slot(value), pitch);
            L(same);
        };
        const group_spec_t &groups = spec_.groups;
        advance_value(scales_slot, offsetof(tile_args_t, b_scale_pitch), scale_left_slot,
                groups.b_scale.run);
        advance_value(
                zeros_slot, offsetof(tile_args_t, b_zero_pitch), zero_left_slot, groups.b_zero.run);
        advance(slot(b_sums_slot), offsetof(tile_args_t, b_sums_pitch));
        for (const slot_t of_rows : {sums_slot, a_scales_slot, a_zeros_slot})
            add(slot(of_rows), rows_of_group * 4);
        dec(slot(groups_slot));
    }
    jmp(again, T_NEAR);
    L(end);
    while (std::ssize(sums.vecs) > totals) sums.vecs.pop_back();
    for (int i = 0; i < totals; ++i) vmovups(*sums.vecs[i], ptr[**frame_ + i * vector_bytes]);
    const gpr_t x = gpr("argument");
    for (const auto &[index, offset] : {copied_arguments[1], copied_arguments[2],
                 copied_arguments[3], copied_arguments[copy_slot]}) {
        mov(*x, slot(index));
        mov(argument(offset), *x);
    }
    frame_.reset();
    add(rsp, frame_bytes);
    b_zeros_.reset();
}

void tile_kernel_t::begin_sums(const sums_t &sums, int slots) {
    if (!has_digits(spec_.step) || spec_.b_shift() == 0) {
        for (const vec_t &sum : sums.vecs) set_zero(sum);
        return;
    }
    const gpr_t at = gpr("what sums begin with", ptr[**frame_ + slots + a_zeros_slot * slot_bytes]);
    for (int row = 0; row < spec_.part_rows(); ++row) {
        const int place = row / digits_of_element * digit_places + row % digits_of_element;
        for (int v = 0; v < sums.vectors; ++v)
            vbroadcastss(*sums.at(row, v), dword[*at + place * 4]);
    }
}

void tile_kernel_t::keep_zeros_of_b(const sums_t &sums, int slots) {
    const auto load = [&](const vec_t &to, int v) {
        load_group_operand(
                to, spec_.groups.b_zero, slots + zeros_slot * slot_bytes, v, sums.count(*this, v));
    };
    const auto keep = [&](const vec_t &zero, int v, int place, float base) {
        const vec_t with_base = vec("zero points of a place");
        if (base != 0) vaddps(with_base, zero, constant(base));
        vmovups(ptr[**frame_ + zeros_at(v, place)], base != 0 ? *with_base : *zero);
    };
    for (int v = 0; v < sums.vectors; ++v) {
        const vec_t zero = vec("zero points");
        load(zero, v);
        if (is_pair(sums, v)) {
            const vec_t next = vec("zero points of the next vector");
            load(next, v + 1);
            separate(zero, next);
            keep(zero, v, 0, base_of_place(0));
            keep(next, ++v, 0, base_of_place(1));
            continue;
        }
        for (int place = 0; place < zero_places(); ++place)
            keep(zero, v, place, spec_.has_pairs() ? 0 : base_of_place(place));
    }
}

/// Totals += (sums - b_zero * a_sum) * a_scale * b_scale.
void tile_kernel_t::finish_group(const sums_t &sums, int slots) {
    const auto &groups = spec_.groups;
    const int vector_bytes = lanes() * 4;
    if (has_digits(spec_.step)) join_digits(sums);
    for (int v = 0; v < sums.vectors; ++v) {
        const int count = sums.count(*this, v);
        if (spec_.needs_sums_of_a()) subtract_zero_points(sums, v, slots);
        if (spec_.subtracts && groups.have_scales()) subtract_zero_points_of_a(sums, v, slots);
        const vec_t scale = vec("scale");
        for (int row = 0; spec_.has_integer_groups() && groups.have_scales() && row < spec_.rows;
                ++row)
            vcvtdq2ps(*sums.at(row, v), *sums.at(row, v));
        if (groups.has_a_scale) {
            const gpr_t at = gpr("scales of A", ptr[**frame_ + slots + a_scales_slot * slot_bytes]);
            for (int row = 0; row < spec_.rows; ++row)
                with_broadcast(*at + row * 4, [&](const Xbyak::Operand &x) {
                    vmulps(*sums.at(row, v), *sums.at(row, v), x);
                });
        }
        if (groups.b_scale.exists())
            load_group_operand(scale, groups.b_scale, slots + scales_slot * slot_bytes, v, count);
        for (int row = 0; row < spec_.rows; ++row) {
            const auto total = ptr[**frame_ + (row * sums.vectors + v) * vector_bytes];
            const vec_t &sum = sums.at(row, v);
            if (groups.b_scale.exists())
                vfmadd213ps(*sum, *scale, total);
            else if (spec_.has_integer_sums())
                vpaddd(*sum, *sum, total);
            else
                vaddps(*sum, *sum, total);
            vmovups(total, *sum);
        }
    }
}

/// The sums of each row's digits become floats, those of its integers.
void tile_kernel_t::join_digits(const sums_t &sums) {
    constexpr float base = 256;
    for (int row = 0; row < spec_.rows; ++row)
        for (int v = 0; v < sums.vectors; ++v) {
            const auto digit = [&](int i) { return *sums.at(row * digits_of_element + i, v); };
            for (int i = 0; i < digits_of_element; ++i) vcvtdq2ps(digit(i), digit(i));
            vfmadd231ps(digit(0), digit(1), constant(base));
            vfmadd231ps(digit(0), digit(2), constant(base * base));
            if (row != 0) vmovaps(*sums.at(row, v), digit(0));
        }
}

void tile_kernel_t::subtract_zero_points(const sums_t &sums, int vector, int slots) {
    const group_operand_t &operand = spec_.groups.b_zero;
    const int slot = slots + zeros_slot * slot_bytes, count = sums.count(*this, vector);
    const int shift = spec_.shift_of_zeros();
    const bool are_integers = spec_.has_integer_groups();
    const vec_t zero = vec("zero point");
    if (!operand.exists()) {
        set_zero(zero);
    } else if (are_integers && operand.type == dnnl_s32) {
        load_group_operand(zero, {dnnl_f32, operand.per_lane}, slot, vector, count);
    } else {
        load_group_operand(zero, operand, slot, vector, count);
        if (are_integers) vcvtps2dq(*zero, *zero);
    }
    if (shift != 0 && are_integers)
        vpaddd(*zero, *zero, constant_bits(static_cast<uint32_t>(shift)));
    else if (shift != 0)
        vaddps(*zero, *zero, constant(static_cast<float>(shift)));
    const gpr_t at = gpr("sums of A", ptr[**frame_ + slots + sums_slot * slot_bytes]);
    subtract_products(sums, vector, at, zero);
}

void tile_kernel_t::subtract_zero_points_of_a(const sums_t &sums, int vector, int slots) {
    const vec_t of_b = vec("sums of B");
    // The bits of integers are moved as those of floats.
    load_group_operand(of_b, {dnnl_f32, true}, slots + b_sums_slot * slot_bytes, vector,
            sums.count(*this, vector));
    const gpr_t at = gpr("zero points of A", ptr[**frame_ + slots + a_zeros_slot * slot_bytes]);
    subtract_products(sums, vector, at, of_b);
}

/// Sums -= the sums of A's rows times b_shift(), a power of two or the negative of one, or the
/// products of these sums, where there are no groups.
void tile_kernel_t::subtract_sums_of_a(const sums_t &sums) {
    const int shift = spec_.b_shift(), power = std::countr_zero(static_cast<unsigned>(shift));
    const vec_t x = vec("sum of A");
    const gpr_t at = gpr("sums of A", argument(offsetof(tile_args_t, a_sums)));
    for (int row = 0; row < spec_.rows; ++row) {
        vbroadcastss(x, dword[*at + row * 4]);
        if (!spec_.takes_products) vpslld(x, x, static_cast<uint8_t>(power));
        for (int v = 0; v < sums.vectors; ++v) {
            const vec_t &sum = sums.at(row, v);
            shift >= 0 || spec_.takes_products ? vpsubd(*sum, *sum, *x) : vpaddd(*sum, *sum, *x);
        }
    }
}

/// Sums -= zero points of A times the sums of B's columns that the tile has computed.
void tile_kernel_t::subtract_sums_of_b(const sums_t &sums) {
    const gpr_t zeros = gpr("zero points of A", argument(offsetof(tile_args_t, a_zeros)));
    for (int v = 0; v < sums.vectors; ++v) subtract_products(sums, v, zeros, b_sums_[v]);
    b_sums_.clear();
}

/// Sums of a vector -= values of columns times values of rows.
void tile_kernel_t::subtract_products(
        const sums_t &sums, int vector, const gpr_t &of_rows, const vec_t &of_columns) {
    if (spec_.has_one_a_zero) {
        const vec_t product = vec("product");
        with_broadcast(RegExp(*of_rows),
                [&](const Xbyak::Operand &x) { vpmulld(*product, *of_columns, x); });
        for (int row = 0; row < spec_.rows; ++row) {
            const vec_t &sum = sums.at(row, vector);
            vpsubd(*sum, *sum, *product);
        }
        return;
    }
    for (int row = 0; row < spec_.rows; ++row) {
        const vec_t &sum = sums.at(row, vector);
        with_broadcast(*of_rows + row * 4, [&](const Xbyak::Operand &x) {
            if (!spec_.has_integer_groups()) return vfnmadd231ps(*sum, *of_columns, x);
            const vec_t product = vec("product");
            vpmulld(*product, *of_columns, x);
            vpsubd(*sum, *sum, *product);
        });
    }
}

/// Writes an instruction whose last operand is a value in each lane.
template <typename write_t>
void tile_kernel_t::with_broadcast(const RegExp &at, const write_t &write) {
    if (has_avx512()) return write(ptr_b[at]);
    const vec_t x = vec("value of a row");
    vbroadcastss(x, dword[at]);
    write(*x);
}

/// The values of a vector's columns, as floats. Those of the first column are where the pointer in
/// a slot says.
void tile_kernel_t::load_group_operand(
        const Xmm &to, const group_operand_t &operand, int slot, int vector, int count) {
    const gpr_t at = gpr("values of a group", ptr[**frame_ + slot]);
    if (!operand.per_lane) return io_.load_broadcast(to, operand.type, RegExp(*at));
    const int first = vector * lanes();
    if (!is_half_byte(operand.type)) {
        const int size = size_of(operand.type);
        return io_.load(to, operand.type, *at + **column_ * size + first * size, count);
    }
    const gpr_t distance = gpr("bytes of half bytes", **column_);
    shr(*distance, 1);
    io_.load(to, operand.type, *at + *distance + first / 2, count);
}

} // namespace kiln::x64::matrix
