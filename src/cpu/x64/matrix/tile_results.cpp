// SPDX-License-Identifier: Apache-2.0
// What the kernel of matrix products does with the sums of a tile: partial sums of blocks of K,
// and results.

#include <algorithm>
#include <cstddef>

#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

namespace {

constexpr uint8_t sign_bit = 31;
constexpr uint32_t top_bit = 0x80000000; // and the least integer

} // namespace

/// Fetches the lines of partial sums, which are read or written after the products.
void tile_kernel_t::fetch_partial(int columns) {
    const gpr_t at = gpr("partial sums", argument(offsetof(tile_args_t, partial)));
    const gpr_t pitch =
            gpr("pitch of partial sums", argument(offsetof(tile_args_t, partial_pitch)));
    lea(*at, ptr[*at + **column_ * 4]);
    for (int row = 0; row < spec_.rows; ++row) {
        for (int i = 0; i < columns * 4; i += cache_line_bytes) prefetcht1(ptr[*at + i]);
        if (row + 1 < spec_.rows) add(*at, *pitch);
    }
}

void tile_kernel_t::add_partial(const sums_t &sums) {
    const gpr_t at = gpr("partial sums", argument(offsetof(tile_args_t, partial)));
    const gpr_t pitch =
            gpr("pitch of partial sums", argument(offsetof(tile_args_t, partial_pitch)));
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
    const gpr_t at = gpr("rows of C", argument(address));
    const gpr_t pitch = gpr("pitch of C", argument(pitch_argument));
    const int size = size_of(type);
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
    const gpr_t at = gpr("sums of B", argument(offsetof(tile_args_t, b_sums)));
    const gpr_t zeros = gpr("zero points of A", argument(offsetof(tile_args_t, a_zeros)));
    lea(*at, ptr[*at + **column_ * 4]);
    const vec_t x = vec("sums of B");
    for (int v = 0; v < sums.vectors; ++v) {
        io_.load(x, dnnl_f32, *at + v * lanes() * 4, sums.count(*this, v));
        subtract_products(sums, v, zeros, x);
    }
}

void tile_kernel_t::write_results(sums_t &sums) {
    if (spec_.subtracts && !spec_.sums_b && spec_.has_integer_sums()) subtract(sums);
    if (!spec_.is_plain()) return write_epilogue(sums);
    if (spec_.only_adds()) add_operands(sums);
    store_rows(sums, offsetof(tile_args_t, dst), offsetof(tile_args_t, dst_pitch), spec_.dst_type);
}

/// Calls `body(sum, load)` for each sum of the tile; `load(addend, to)` loads what the epilogue
/// adds to it.
template <typename body_t>
void tile_kernel_t::for_each_with_addends(const sums_t &sums, const body_t &body) {
    jit::list_t<gpr_t> rows;
    const auto per_lane = [&](size_t i) { return spec_.epilogue[i].operands.front().per_lane; };
    const auto type = [&](size_t i) {
        // The bits of integers are moved as those of floats.
        return spec_.has_integer_sums() ? dnnl_f32 : spec_.epilogue[i].operands.front().type;
    };
    for (size_t i = 0; i < spec_.epilogue.size(); ++i) {
        const gpr_t &at = rows.emplace_back(
                gpr("addend", argument(offsetof(tile_args_t, operands) + i * sizeof(void *))));
        if (per_lane(i)) lea(*at, ptr[*at + **column_ * size_of(type(i))]);
    }
    for (int row = 0; row < spec_.rows; ++row) {
        for (int v = 0; v < sums.vectors; ++v)
            body(sums.at(row, v), [&](size_t i, const Xmm &to) {
                if (!per_lane(i)) return io_.load_broadcast(to, type(i), RegExp(*rows[i]));
                const RegExp at = *rows[i] + v * lanes() * size_of(type(i));
                io_.load(to, type(i), at, sums.count(*this, v));
            });
        for (size_t i = 0; i < rows.size() && row + 1 < spec_.rows; ++i)
            if (spec_.pitches[i] != 0) add(*rows[i], static_cast<int>(spec_.pitches[i]));
    }
}

/// Sums += the operands of the epilogue.
void tile_kernel_t::add_operands(const sums_t &sums) {
    if (spec_.has_integer_sums()) return add_integers(sums);
    const vec_t operand = vec("addend");
    for_each_with_addends(sums, [&](const vec_t &sum, const auto &load) {
        for (size_t i = 0; i < spec_.epilogue.size(); ++i) {
            load(i, operand);
            vaddps(*sum, *sum, *operand);
        }
    });
}

/// Sums += the integers of the epilogue, saturated once.
void tile_kernel_t::add_integers(const sums_t &sums) {
    const size_t addends = spec_.epilogue.size();
    const vec_t operand = vec("addend"), total = vec("total"), overflows = vec("overflows");
    Xbyak::Label end;
    set_zero(overflows);
    for_each_with_addends(sums, [&](const vec_t &sum, const auto &load) {
        for (size_t i = 0; i < addends; ++i) {
            load(i, operand);
            add_modulo(total, sum, operand);
            vorps(*overflows, *overflows, *sum);
            vmovaps(*sum, *total);
        }
    });
    jump_if_no_sign(overflows, end);
    // The same again. A lane counts how often its sum falls below the range, less how often it
    // rises above.
    for_each_with_addends(sums, [&](const vec_t &sum, const auto &load) {
        const vec_t &count = overflows;
        for (size_t i = 0; i < addends; ++i) {
            load(i, operand);
            vpsubd(*sum, *sum, *operand);
        }
        set_zero(count);
        for (size_t i = 0; i < addends; ++i) {
            load(i, operand);
            add_modulo(total, sum, operand);
            vpsrad(*sum, *sum, sign_bit);
            vpsrad(*operand, *total, sign_bit);
            vorps(*operand, *operand, constant_bits(1));
            vandps(*operand, *operand, *sum);
            vpaddd(*count, *count, *operand);
            vmovaps(*sum, *total);
        }
        set_zero(total);
        vpsubd(*total, *total, *count);
        vorps(*total, *total, *count);
        vpsrad(*total, *total, sign_bit); // where the count is not 0
        vpsrad(*count, *count, sign_bit);
        vxorps(*count, *count, constant_bits(top_bit)); // the limit
        vandps(*count, *count, *total);
        vandnps(*sum, *total, *sum);
        vorps(*sum, *sum, *count);
    });
    L(end);
}

/// total = sum + operand, modulo 2^32. The top bits of `sum` become the lanes that overflow: those
/// whose total has the sign of neither term. `operand` becomes undefined.
void tile_kernel_t::add_modulo(const vec_t &total, const vec_t &sum, const vec_t &operand) {
    vpaddd(*total, *sum, *operand);
    if (has_avx512()) {
        constexpr uint8_t differs_from_both = 0x42;
        return vpternlogd(*sum, *operand, *total, differs_from_both);
    }
    vxorps(*sum, *sum, *total);
    vxorps(*operand, *operand, *total);
    vandps(*sum, *sum, *operand);
}

/// Jumps if the top bit of no lane is set.
void tile_kernel_t::jump_if_no_sign(const Xmm &x, const Xbyak::Label &target) {
    if (has_avx512()) {
        const mask_t signs = mask("signs");
        vptestmd(*signs, x, constant_bits(top_bit));
        kortestw(*signs, *signs);
    } else {
        const gpr_t signs = gpr("signs");
        vmovmskps((*signs).cvt32(), x);
        test((*signs).cvt32(), (*signs).cvt32());
    }
    jz(target, T_NEAR);
}

/// The sums go to the stack, and from there one by one through the epilogue: it finds all registers
/// free, and its code does not grow with the rows.
void tile_kernel_t::write_epilogue(sums_t &sums) {
    const int vector_bytes = lanes() * 4, row_bytes = sums.vectors * vector_bytes;
    const int stack_bytes = spec_.rows * row_bytes + vector_bytes; // One more, to align them.
    const int columns = (sums.vectors - 1) * lanes() + sums.last;
    const gpr_t kept = gpr("row of sums");
    sub(rsp, stack_bytes);
    lea(*kept, ptr[rsp + vector_bytes - 1]);
    and_(*kept, -vector_bytes);
    for (int i = 0; i < spec_.rows * sums.vectors; ++i)
        vmovups(ptr[*kept + i * vector_bytes], *sums.vecs[i]);
    vecs_t().swap(sums.vecs);
    const gpr_t row = gpr("row"), base = gpr("operand"), distance = gpr("distance");
    const gpr_t dst = gpr("row of dst", argument(offsetof(tile_args_t, dst)));
    const int size = size_of(spec_.dst_type);
    lea(*dst, ptr[*dst + **column_ * size]);
    xor_(*row, *row);
    const std::vector<jit::post_op_operand_t> operands = jit::operands_of(spec_.epilogue);
    const auto load_base = [&](size_t i) {
        mov(*base, argument(offsetof(tile_args_t, operands) + i * sizeof(void *)));
    };
    const auto held = epilogue_.hold([&](size_t i) { return spec_.pitches[i] == 0; },
            [&](int index) {
                load_base(static_cast<size_t>(index));
                return RegExp(*base);
            });
    Xbyak::Label again;
    L(again);
    for (int first = 0; first < columns; first += lanes()) {
        const vec_t x = vec("result");
        const int count = std::min(lanes(), columns - first);
        if (spec_.has_integer_sums())
            vcvtdq2ps(*x, ptr[*kept + first * 4]);
        else
            vmovups(*x, ptr[*kept + first * 4]);
        const auto address = [&](int index) {
            const auto i = static_cast<size_t>(index);
            load_base(i);
            if (spec_.pitches[i] != 0) {
                imul(*distance, *row, static_cast<int>(spec_.pitches[i]));
                add(*base, *distance);
            }
            if (!operands[i].per_lane) return RegExp(*base);
            const int element = size_of(operands[i].type);
            return *base + **column_ * element + first * element;
        };
        epilogue_.apply(x, count, address, held);
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
