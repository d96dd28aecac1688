// SPDX-License-Identifier: Apache-2.0
// The kernel of scalar products.

#include "cpu/x64/matrix/dot_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::matrix {

using jit::gpr_t;
using jit::vec_t;
using Xbyak::RegExp;

namespace {

/// Columns that share a register for their addresses, likewise rows.
constexpr int lines_of_base = 3;
/// How far ahead columns are fetched, bytes of each.
constexpr int bytes_ahead = 2048;

} // namespace

int dot_columns(isa_t isa, int rows) {
    constexpr int most_streams = 8;
    // Accumulators, elements of A, and an element of B each.
    return std::min(most_streams, jit::vectors_of(isa) / 2 / rows);
}

std::string dot_spec_t::name() const {
    return jit::kernel_name("matrix_dot_" + std::to_string(rows), {b_type}, isa);
}

/// Lines at a pitch: the addresses of each three are in a register.
struct dot_kernel_t::walk_t {
    walk_t(dot_kernel_t &k, int count, size_t address, size_t pitch_argument)
        : pitch(k.gpr("pitch")) {
        k.mov(*pitch, k.argument(pitch_argument));
        for (int line = 0; line < count; line += lines_of_base) {
            const gpr_t &base = bases.emplace_back(k.gpr("lines"));
            if (line == 0) {
                k.mov(*base, k.argument(address));
            } else {
                k.lea(*base, k.ptr[*bases[bases.size() - 2] + *pitch * 2]);
                k.add(*base, *pitch);
            }
        }
    }
    RegExp line(int index) const {
        const gpr_t &base = bases[static_cast<size_t>(index / lines_of_base)];
        const int place = index % lines_of_base;
        return place == 0 ? RegExp(*base) : *base + *pitch * place;
    }
    gpr_t pitch;
    std::vector<gpr_t> bases;
};

dot_kernel_t::dot_kernel_t(const dot_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void dot_kernel_t::generate() {
    const auto field = [&](size_t offset) { return qword[arguments() + offset]; };
    const auto copy = [&](size_t to, size_t from) {
        const gpr_t value = gpr("value");
        mov(*value, argument(from));
        mov(field(to), *value);
    };
    const auto columns = [&](int count, size_t left) {
        Xbyak::Label again, end;
        cmp(field(left), 0);
        je(end, T_NEAR);
        L(again);
        write_columns(count);
        {
            const gpr_t pitch = gpr("pitch of B");
            mov(*pitch, argument(offsetof(dot_args_t, b_pitch)));
            add(field(offsetof(dot_args_t, b)), *pitch);
        }
        add(field(offsetof(dot_args_t, sums)), 4);
        dec(field(left));
        jnz(again, T_NEAR);
        L(end);
    };
    if (spec_.tail != 0) io_.prepare_tail(spec_.tail);
    columns(dot_columns(isa(), spec_.rows), offsetof(dot_args_t, groups));
    copy(offsetof(dot_args_t, b), offsetof(dot_args_t, b_rest));
    copy(offsetof(dot_args_t, sums), offsetof(dot_args_t, sums_rest));
    columns(1, offsetof(dot_args_t, rest));
    io_.release();
}

void dot_kernel_t::write_columns(int columns) {
    const auto place = [&](int row, int column) {
        return static_cast<size_t>(row * columns + column);
    };
    std::vector<vec_t> sums;
    for (int i = 0; i < spec_.rows * columns; ++i) set_zero(*sums.emplace_back(vec("sum")));
    {
        walk_t a(*this, spec_.rows, offsetof(dot_args_t, a), offsetof(dot_args_t, a_pitch));
        walk_t b(*this, columns, offsetof(dot_args_t, b), offsetof(dot_args_t, b_stream));
        const gpr_t left = gpr("vectors left");
        const auto step = [&](int count) {
            std::vector<vec_t> x;
            for (int row = 0; row < spec_.rows; ++row)
                io_.load(x.emplace_back(vec("A")), dnnl_f32, a.line(row), count);
            const vec_t y = vec("B");
            for (int column = 0; column < columns; ++column) {
                io_.load(y, spec_.b_type, b.line(column), count);
                for (int row = 0; row < spec_.rows; ++row)
                    vfmadd231ps(*sums[place(row, column)], *x[static_cast<size_t>(row)], *y);
            }
        };
        Xbyak::Label again, tail;
        mov(*left, argument(offsetof(dot_args_t, vectors)));
        test(*left, *left);
        jz(tail, T_NEAR);
        L(again);
        for (int column = 0; column < columns; ++column)
            prefetcht1(ptr[b.line(column) + bytes_ahead]);
        step(lanes());
        for (const gpr_t &base : a.bases) add(*base, lanes() * 4);
        for (const gpr_t &base : b.bases) add(*base, lanes() * size_of(spec_.b_type));
        dec(*left);
        jnz(again, T_NEAR);
        L(tail);
        if (spec_.tail != 0) step(spec_.tail);
    }
    const gpr_t to = gpr("sums"), at = gpr("sum"), stream = gpr("distance of sums");
    mov(*to, argument(offsetof(dot_args_t, sums)));
    mov(*stream, argument(offsetof(dot_args_t, sums_stream)));
    for (int row = 0; row < spec_.rows; ++row) {
        mov(*at, *to);
        for (int column = 0; column < columns; ++column) {
            const vec_t &sum = sums[place(row, column)];
            jit::reduce_sum(*this, sum);
            vmovss(dword[*at], xmm(sum));
            if (column + 1 < columns) add(*at, *stream);
        }
        if (row + 1 < spec_.rows) add(*to, argument(offsetof(dot_args_t, sums_pitch)));
    }
}

} // namespace kiln::x64::matrix
