// SPDX-License-Identifier: Apache-2.0
// The kernel of matrix products.

#include "cpu/x64/matrix/tile_kernel.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "common/integers.hpp"
#include "cpu/x64/matrix/blocking.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {

using jit::gpr_t;
using jit::vec_t;
using Xbyak::RegExp;
using Xbyak::Xmm;

namespace {

/// Rows at most: their addresses are in five registers.
constexpr int rows_with_bases = 5 * rows_of_base;

/// Whether accumulators, a row or a column of the operand with fewer vectors, and one vector of the
/// other fit into the registers.
bool fits(isa_t isa, step_t step, int rows, int vectors) {
    // Integers of B as they are packed, and converted, the table or a product, an element of A.
    constexpr int of_conversion = 4;
    if (converts_b(step)) return rows * vectors + of_conversion <= jit::vectors_of(isa);
    return rows * vectors + std::min(rows, vectors) + 1 + has_product(isa, step)
           <= jit::vectors_of(isa);
}

} // namespace

int most_rows(isa_t isa, step_t step, int vectors) {
    int rows = 1;
    while (rows < rows_with_bases && fits(isa, step, rows + 1, vectors)) ++rows;
    return rows;
}

int most_vectors(isa_t isa, step_t step, int rows) {
    int vectors = 1;
    while (fits(isa, step, rows, vectors + 1)) ++vectors;
    return vectors;
}

std::string tile_spec_t::name() const {
    std::string text =
            "matrix_tile_" + prefix_of(step) + std::to_string(rows) + "x" + std::to_string(vectors);
    if (!is_packed) text += copies_b ? "_copying" : "_in_place";
    if (a_is_signed) text += "_signed";
    if (groups.exist()) text += "_groups";
    if (has_blocks) text += "_blocks";
    if (!is_plain()) text += "_epilogue";
    return jit::kernel_name(
            text, {step == step_t::bf16 || step == step_t::s16 ? dnnl_f32 : b_type, dst_type}, isa);
}

tile_kernel_t::sums_t::sums_t(tile_kernel_t &k, int columns)
    : vectors(divide_up(columns, k.lanes()))
    , last(columns - (vectors - 1) * k.lanes()) {
    for (int i = 0; i < k.spec_.rows * vectors; ++i) vecs.push_back(k.vec("sum"));
}

tile_kernel_t::tile_kernel_t(const tile_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this)
    , epilogue_(*this, io_, spec.epilogue) {}

void tile_kernel_t::generate() {
    Xbyak::Label again, tail, end;
    column_.emplace(gpr("column"));
    xor_(**column_, **column_);
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail % lanes());
    if (is_half_byte(spec_.b_type) || is_half_byte(spec_.groups.b_zero.type))
        io_.prepare_half_bytes();
    prepare_conversions();
    cmp(qword[arguments() + offsetof(tile_args_t, panels)], 0);
    je(tail, T_NEAR);
    L(again);
    write_panel(spec_.width());
    {
        const gpr_t panel = gpr("distance of panels");
        mov(*panel, argument(offsetof(tile_args_t, b_panel)));
        add(qword[arguments() + offsetof(tile_args_t, b)], *panel);
        add(qword[arguments() + offsetof(tile_args_t, b_ahead)], *panel);
        if (spec_.lines_ahead != 0) {
            mov(*panel, argument(offsetof(tile_args_t, next_panel)));
            add(qword[arguments() + offsetof(tile_args_t, b_next)], *panel);
        }
        if (spec_.copies_b) {
            mov(*panel, argument(offsetof(tile_args_t, copy_panel)));
            add(qword[arguments() + offsetof(tile_args_t, copy)], *panel);
        }
    }
    add(**column_, spec_.width());
    dec(qword[arguments() + offsetof(tile_args_t, panels)]);
    jnz(again, T_NEAR);
    L(tail);
    if (spec_.tail != 0) {
        cmp(qword[arguments() + offsetof(tile_args_t, has_tail)], 0);
        je(end, T_NEAR);
        write_panel(spec_.tail);
        L(end);
    }
    column_.reset();
    table_.reset();
    io_.release();
}

void tile_kernel_t::write_panel(int columns) {
    sums_t sums(*this, columns);
    if (spec_.has_blocks) fetch_partial(columns);
    if (spec_.groups.exist()) {
        write_groups(sums);
    } else {
        for (const vec_t &sum : sums.vecs) set_zero(sum);
        write_products(sums);
        if (spec_.needs_sums_of_a()) subtract_shift(sums);
    }
    if (!spec_.has_blocks) return write_results(sums);
    Xbyak::Label is_first, is_last, end;
    cmp(qword[arguments() + offsetof(tile_args_t, adds)], 0);
    je(is_first, T_NEAR);
    add_partial(sums);
    L(is_first);
    cmp(qword[arguments() + offsetof(tile_args_t, finishes)], 0);
    jne(is_last, T_NEAR);
    store_rows(
            sums, offsetof(tile_args_t, partial), offsetof(tile_args_t, partial_pitch), sum_type());
    jmp(end, T_NEAR);
    L(is_last);
    write_results(sums);
    L(end);
}

/// Copies of a step in the loop: enough multiplications for what comes once in a round of it.
int tile_kernel_t::steps_of_loop() const {
    constexpr int enough = 32;
    const int conversions = depth_of(spec_.step) / depth_of(base_of(spec_.step));
    int steps = 4;
    while (steps > 1 && spec_.rows * spec_.vectors * conversions * steps / 2 >= enough) steps /= 2;
    return steps;
}

/// How far ahead a B in place is fetched: about as many cycles of multiplications as memory takes
/// to answer, and not more than what is on its way from memory at a time.
int tile_kernel_t::rows_ahead() const {
    constexpr int cycles = 512, bytes = 16384;
    const int row_bytes = spec_.b_bytes(spec_.width());
    return std::clamp(cycles / (spec_.rows * spec_.vectors), 4, std::max(4, bytes / row_bytes));
}

/// Whether the accumulators are fewer than the multiplications that a processor has under way, so
/// that each would wait for the one before.
bool tile_kernel_t::has_two_chains(const sums_t &sums) const {
    constexpr int under_way = 8;
    return converts_b(spec_.step) && static_cast<int>(sums.vecs.size()) <= under_way / 2;
}

void tile_kernel_t::write_products(const sums_t &sums) {
    const walk_t walk(*this);
    if (has_two_chains(sums)) {
        odd_sums_.emplace(*this, (sums.vectors - 1) * lanes() + sums.last);
        for (const vec_t &sum : odd_sums_->vecs) set_zero(sum);
    }
    hold_places();
    const int copies = steps_of_loop();
    const auto steps = [&](int count) {
        for (int copy = 0; copy < count; ++copy) write_step(sums, walk, copy);
        for (const gpr_t &base : walk.bases) add(*base, count * a_bytes(spec_.step));
        if (walk.to) add(**walk.to, count * spec_.width() * 4);
        if (!spec_.is_packed) return;
        add(*walk.b, count * spec_.b_bytes(spec_.width()));
        if (walk.ahead) add(**walk.ahead, count * spec_.b_bytes(spec_.width()));
    };
    Xbyak::Label loop, rest, single, end;
    sub(*walk.left, copies);
    jl(rest, T_NEAR);
    L(loop);
    if (spec_.fetches_a || walk.next) fetch_next(walk);
    steps(copies);
    sub(*walk.left, copies);
    jge(loop, T_NEAR);
    L(rest);
    if (copies > 1) {
        add(*walk.left, copies);
        jz(end, T_NEAR);
        L(single);
        steps(1);
        dec(*walk.left);
        jnz(single, T_NEAR);
        L(end);
    }
    release_places();
    for (size_t i = 0; odd_sums_ && i < sums.vecs.size(); ++i)
        is_integer(spec_.step) ? vpaddd(*sums.vecs[i], *sums.vecs[i], *odd_sums_->vecs[i])
                               : vaddps(*sums.vecs[i], *sums.vecs[i], *odd_sums_->vecs[i]);
    odd_sums_.reset();
    for (int v = 0; v < sums.vectors; ++v)
        for (int row = 0; is_pair(sums, v) && row < spec_.rows; ++row)
            interleave(sums.at(row, v), sums.at(row, v + 1));
}

/// Once in a period, for each cache line of rows of A: fetches the same lines of the next tile's
/// rows, and some lines of B.
void tile_kernel_t::fetch_next(const walk_t &walk) {
    Xbyak::Label end;
    test((*walk.left).cvt32(), next_block_fetch_t::period - steps_of_loop());
    jnz(end, T_NEAR);
    if (walk.next) {
        const gpr_t at = gpr("next block of B");
        mov(*at, **walk.next);
        for (int line = 0; line < spec_.lines_ahead; ++line) {
            prefetcht1(ptr[*at]);
            if (line + 1 < spec_.lines_ahead) add(*at, argument(offsetof(tile_args_t, next_line)));
        }
        add(**walk.next, argument(offsetof(tile_args_t, next_period)));
    }
    if (spec_.fetches_a) {
        const gpr_t at = gpr("rows ahead");
        mov(*at, argument(offsetof(tile_args_t, a_ahead)));
        add(*at, *walk.bases.front());
        for (int row = 0; row < spec_.rows; ++row) {
            prefetcht1(ptr[*at]);
            if (row + 1 < spec_.rows) add(*at, *walk.pitch);
        }
    }
    L(end);
}

/// Sums += a column of A times a row of B. The operand with fewer vectors is held, the other one
/// goes through the registers that are left, at most four.
void tile_kernel_t::write_step(const sums_t &sums, const walk_t &walk, int copy) {
    const auto size = [](const auto &list) { return static_cast<int>(list.size()); };
    const auto take = [&](std::vector<vec_t> &vecs, int count, const char *name) {
        while (size(vecs) < count) vecs.push_back(vec(name));
    };
    constexpr int most_passing = 4;
    const auto load_a = [&](const Xmm &to, int row) {
        vbroadcastss(to, dword[walk.row(row) + copy * 4]);
    };
    const auto multiply_elements = [&](const vec_t &sum, const vec_t &a, const vec_t &b) {
        spec_.a_is_signed ? multiply(sum, b, *a) : multiply(sum, a, *b);
    };
    const auto load = [&](const Xmm &to, int vector) {
        load_b(to, b_at(walk, copy, vector), sums.count(*this, vector));
        if (b_zeros_) vsubps(to, to, ptr[**frame_ + zeros_at(vector, 0)]);
        if (walk.to) vmovups(ptr[**walk.to + (copy * spec_.width() + vector * lanes()) * 4], to);
    };
    const auto passing = [&](int count) {
        return std::min({most_passing, count, free_vecs() - has_product(isa(), spec_.step)});
    };
    for (int v = 0; walk.ahead && v < sums.vectors; ++v) fetch_b(walk, copy, v);
    if (converts_b(spec_.step)) return write_conversions(sums, walk, copy);
    if (spec_.has_pairs()) return write_pairs(sums, walk, copy);
    std::vector<vec_t> held, moving;
    if (spec_.rows >= sums.vectors) {
        const bool broadcasts = reads_a_from_memory(sums.vectors);
        take(held, sums.vectors, "B");
        if (!broadcasts) take(moving, passing(spec_.rows), "A");
        for (int v = 0; v < sums.vectors; ++v) load(held[static_cast<size_t>(v)], v);
        for (int row = 0; row < spec_.rows; ++row) {
            if (broadcasts) {
                multiply(sums.at(row, 0), held.front(), ptr_b[walk.row(row) + copy * 4]);
                continue;
            }
            const vec_t &a = moving[static_cast<size_t>(row % size(moving))];
            load_a(a, row);
            for (int v = 0; v < sums.vectors; ++v)
                multiply_elements(sums.at(row, v), a, held[static_cast<size_t>(v)]);
        }
    } else {
        take(held, spec_.rows, "A");
        take(moving, passing(sums.vectors), "B");
        for (int row = 0; row < spec_.rows; ++row) load_a(held[static_cast<size_t>(row)], row);
        for (int v = 0; v < sums.vectors; ++v) {
            if (reads_b_from_memory(sums.count(*this, v))) {
                multiply(sums.at(0, v), held.front(), ptr[b_at(walk, copy, v)]);
                continue;
            }
            const vec_t &b = moving[static_cast<size_t>(v % size(moving))];
            load(b, v);
            for (int row = 0; row < spec_.rows; ++row)
                multiply_elements(sums.at(row, v), held[static_cast<size_t>(row)], b);
        }
    }
    if (spec_.is_packed) return;
    add(*walk.b, **walk.b_pitch);
    if (walk.ahead) add(**walk.ahead, **walk.b_pitch);
}

RegExp tile_kernel_t::b_at(const walk_t &walk, int copy, int vector) const {
    const int within = spec_.b_bytes(vector * lanes());
    return *walk.b + (spec_.is_packed ? copy * spec_.b_bytes(spec_.width()) + within : within);
}

/// Fetches the cache line that begins with a vector ahead of one of this step.
void tile_kernel_t::fetch_b(const walk_t &walk, int copy, int vector) {
    constexpr int cache_line = 64;
    const int within = spec_.b_bytes(vector * lanes());
    const int offset = spec_.is_packed ? copy * spec_.b_bytes(spec_.width()) + within : within;
    if (offset % cache_line != 0) return;
    // Rows at multiples of a page share a set of the first-level cache.
    prefetcht1(ptr[**walk.ahead + offset]);
}

/// Whether multiplications broadcast elements of A themselves: one vector of columns uses each of
/// them once. Bytes of A are the first factor, which is a register; vpmaddwd does not broadcast.
bool tile_kernel_t::reads_a_from_memory(int vectors) const {
    return has_avx512() && vectors == 1 && base_of(spec_.step) != step_t::u8s8
           && !has_product(isa(), spec_.step);
}

/// Whether a multiplication reads B itself: one row uses each vector once.
bool tile_kernel_t::reads_b_from_memory(int count) const {
    const bool are_bits = spec_.b_bytes(1) == 4 && spec_.b_shift() == 0 && !spec_.a_is_signed;
    return spec_.rows == 1 && are_bits && !b_zeros_ && !spec_.copies_b
           && (spec_.is_packed || count == lanes());
}

/// Packed panels are padded with zeros to whole vectors.
void tile_kernel_t::load_b(const Xmm &to, const RegExp &at, int count) {
    if (spec_.widens_b())
        return spec_.b_type == dnnl_s8 ? vpmovsxbw(to, ptr[at]) : vpmovzxbw(to, ptr[at]);
    if (spec_.step != step_t::f32) {
        vmovups(to, ptr[at]);
        if (spec_.b_shift() != 0) vxorps(to, to, flips());
        return;
    }
    io_.load(to, spec_.b_type, at, spec_.is_packed ? lanes() : count);
}

/// The operands are A and B in any order, but that bytes are the unsigned one and the signed one.
void tile_kernel_t::multiply(const Xmm &sum, const Xmm &a, const Xbyak::Operand &b) {
    switch (base_of(spec_.step)) {
    case step_t::f32: vfmadd231ps(sum, a, b); break;
    case step_t::bf16: vdpbf16ps(sum, a, b); break;
    case step_t::u8s8: vpdpbusd(sum, a, b); break;
    case step_t::s16:
        if (!has_product(isa(), spec_.step)) {
            vpdpwssd(sum, a, b);
        } else {
            const vec_t product = vec("product");
            vpmaddwd(*product, a, b);
            vpaddd(sum, sum, *product);
        }
        break;
    default: assert(false);
    }
}

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
