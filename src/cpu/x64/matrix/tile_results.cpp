// SPDX-License-Identifier: Apache-2.0
// What the kernel of matrix products does with the sums of a tile: partial sums of blocks of K,
// and results.

#include <cstddef>

#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

using jit::gpr_t;
using jit::vec_t;
using Xbyak::RegExp;

/// Fetches the lines of partial sums, which are read or written after the products.
void tile_kernel_t::fetch_partial(int columns) {
    constexpr int cache_line = 64;
    const gpr_t at = gpr("partial sums"), pitch = gpr("pitch of partial sums");
    mov(*at, argument(offsetof(tile_args_t, partial)));
    mov(*pitch, argument(offsetof(tile_args_t, partial_pitch)));
    lea(*at, ptr[*at + **column_ * 4]);
    for (int row = 0; row < spec_.rows; ++row) {
        for (int i = 0; i < columns * 4; i += cache_line) prefetcht1(ptr[*at + i]);
        if (row + 1 < spec_.rows) add(*at, *pitch);
    }
}

void tile_kernel_t::add_partial(const sums_t &sums) {
    const gpr_t at = gpr("partial sums"), pitch = gpr("pitch of partial sums");
    mov(*at, argument(offsetof(tile_args_t, partial)));
    mov(*pitch, argument(offsetof(tile_args_t, partial_pitch)));
    lea(*at, ptr[*at + **column_ * 4]);
    const vec_t before = vec("sum before");
    for (int row = 0; row < spec_.rows; ++row) {
        for (int v = 0; v < sums.vectors; ++v) {
            // The bits of integers are moved as those of floats.
            io_.load(before, dnnl_f32, *at + v * lanes() * 4, sums.count(*this, v));
            const vec_t &sum = sums.at(row, v);
            spec_.has_integer_sums() ? vpaddd(*sum, *sum, *before) : vaddps(*sum, *before, *sum);
        }
        if (row + 1 < spec_.rows) add(*at, *pitch);
    }
}

/// Stores sums as elements of `type` to the rows at an argument.
void tile_kernel_t::store_rows(
        const sums_t &sums, size_t address, size_t pitch_argument, data_type_t type) {
    const bool are_bits = type == sum_type();
    const gpr_t at = gpr("rows of C"), pitch = gpr("pitch of C");
    const int size = size_of(type);
    mov(*at, argument(address));
    mov(*pitch, argument(pitch_argument));
    lea(*at, ptr[*at + **column_ * size]);
    for (int row = 0; row < spec_.rows; ++row) {
        for (int v = 0; v < sums.vectors; ++v) {
            const vec_t &sum = sums.at(row, v);
            if (spec_.has_integer_sums() && !are_bits) vcvtdq2ps(*sum, *sum);
            io_.store(sum, are_bits ? dnnl_f32 : type, *at + v * lanes() * size,
                    sums.count(*this, v));
        }
        if (row + 1 < spec_.rows) add(*at, *pitch);
    }
}

/// Sums -= zero points of A times sums of B's columns.
void tile_kernel_t::subtract(const sums_t &sums) {
    const gpr_t at = gpr("sums of B"), zeros = gpr("zero points of A");
    mov(*at, argument(offsetof(tile_args_t, b_sums)));
    mov(*zeros, argument(offsetof(tile_args_t, a_zeros)));
    lea(*at, ptr[*at + **column_ * 4]);
    const vec_t x = vec("sums of B");
    for (int v = 0; v < sums.vectors; ++v) {
        io_.load(x, dnnl_f32, *at + v * lanes() * 4, sums.count(*this, v));
        subtract_products(sums, v, zeros, x);
    }
}

void tile_kernel_t::write_results(sums_t &sums) {
    if (spec_.subtracts && spec_.has_integer_sums()) subtract(sums);
    if (!spec_.is_plain()) return write_epilogue(sums);
    store_rows(sums, offsetof(tile_args_t, dst), offsetof(tile_args_t, dst_pitch), spec_.dst_type);
}

/// The sums go to the stack, and from there one by one through the epilogue: it finds all registers
/// free, and its code does not grow with the rows.
void tile_kernel_t::write_epilogue(sums_t &sums) {
    const int vector_bytes = lanes() * 4, row_bytes = sums.vectors * vector_bytes;
    const int stack_bytes = spec_.rows * row_bytes + vector_bytes; // One more, to align them.
    const gpr_t kept = gpr("row of sums"), row = gpr("row"), dst = gpr("row of dst");
    const gpr_t base = gpr("operand"), distance = gpr("distance");
    sub(rsp, stack_bytes);
    lea(*kept, ptr[rsp + vector_bytes - 1]);
    and_(*kept, -vector_bytes);
    for (int i = 0; i < spec_.rows * sums.vectors; ++i)
        vmovups(ptr[*kept + i * vector_bytes], *sums.vecs[static_cast<size_t>(i)]);
    std::vector<vec_t>().swap(sums.vecs);
    const int size = size_of(spec_.dst_type);
    mov(*dst, argument(offsetof(tile_args_t, dst)));
    lea(*dst, ptr[*dst + **column_ * size]);
    xor_(*row, *row);
    const std::vector<jit::post_op_operand_t> operands = jit::operands_of(spec_.epilogue);
    Xbyak::Label again;
    L(again);
    for (int v = 0; v < sums.vectors; ++v) {
        const vec_t x = vec("result");
        const int first = v * lanes(), count = sums.count(*this, v);
        if (spec_.has_integer_sums())
            vcvtdq2ps(*x, ptr[*kept + v * vector_bytes]);
        else
            vmovups(*x, ptr[*kept + v * vector_bytes]);
        epilogue_.apply(x, count, [&](int index) {
            const auto i = static_cast<size_t>(index);
            mov(*base, argument(offsetof(tile_args_t, operands) + i * sizeof(void *)));
            if (spec_.pitches[i] != 0) {
                imul(*distance, *row, static_cast<int>(spec_.pitches[i]));
                add(*base, *distance);
            }
            if (!operands[i].per_lane) return RegExp(*base);
            const int element = size_of(operands[i].type);
            return *base + **column_ * element + first * element;
        });
        io_.store(x, spec_.dst_type, *dst + first * size, count);
    }
    add(*kept, row_bytes);
    add(*dst, argument(offsetof(tile_args_t, dst_pitch)));
    inc(*row);
    cmp(*row, spec_.rows);
    jl(again, T_NEAR);
    add(rsp, stack_bytes);
}

} // namespace kiln::x64::matrix
