// SPDX-License-Identifier: Apache-2.0
// The loop along K of the kernel of matrix products.

#include <algorithm>
#include <cassert>

#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/blocking.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {

/// Copies of a step in the loop: enough multiplications for what comes once in a round of it.
int tile_kernel_t::steps_of_loop() const {
    constexpr int enough = 32;
    const int conversions = depth_of(spec_.step) / depth_of(base_of(spec_.step));
    int steps = 4;
    const int products = spec_.part_rows() * spec_.vectors * conversions;
    while (steps > 1 && products * steps / 2 >= enough) steps /= 2;
    return steps;
}

/// Bytes of floats that a step of B becomes.
int tile_kernel_t::copied_bytes() const {
    return depth_of(spec_.step) / depth_of(base_of(spec_.step)) * spec_.width() * 4;
}

/// How far ahead a B in place is fetched: about as many cycles of multiplications as memory takes
/// to answer, and not more than what is on its way from memory at a time.
int tile_kernel_t::steps_ahead() const {
    constexpr int cycles = 512, bytes = 16384;
    const int step_bytes = spec_.b_bytes(spec_.width()) * depth_of(spec_.step);
    return std::clamp(cycles / (spec_.rows * spec_.vectors), 4, std::max(4, bytes / step_bytes));
}

/// Whether the accumulators are fewer than the multiplications that a processor has under way, so
/// that each would wait for the one before.
bool tile_kernel_t::has_two_chains(const sums_t &sums) const {
    constexpr int under_way = 8;
    // Tiles that copy B add up in the order of those that read the copy.
    return converts_b(spec_.step) && !spec_.copies_b
           && static_cast<int>(sums.vecs.size()) <= under_way / 2;
}

void tile_kernel_t::write_products(const sums_t &sums) {
    const walk_t walk(*this);
    if (has_two_chains(sums)) {
        odd_sums_.emplace(*this, (sums.vectors - 1) * lanes() + sums.last);
        for (const vec_t &sum : odd_sums_->vecs) set_zero(sum);
    }
    hold_places();
    if (spec_.sums_b) {
        ones_.emplace(vec("ones"));
        load_ones(depth_of(spec_.step));
    }
    const int copies = steps_of_loop();
    const auto steps = [&](int count) {
        for (int copy = 0; copy < count; ++copy) write_step(sums, walk, copy);
        for (const gpr_t &base : walk.bases)
            if (!spec_.a_is_transposed) add(*base, count * a_bytes(spec_.step));
        if (walk.to) add(**walk.to, count * copied_bytes());
        if (!spec_.is_packed) return;
        const int bytes = count * spec_.b_bytes(spec_.stream_width());
        add(*walk.b, bytes);
        if (walk.third) add(**walk.third, bytes);
        if (walk.ahead) add(**walk.ahead, bytes);
    };
    Xbyak::Label loop, rest, end;
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
        repeat(*walk.left, [&] { steps(1); });
        L(end);
    }
    if (spec_.rest != 0)
        unless_zero(argument(offsetof(tile_args_t, has_rest)),
                [&] { write_step(sums, walk, 0, true); });
    ones_.reset();
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
        const gpr_t at = gpr("next block of B", **walk.next);
        for (int line = 0; line < spec_.lines_ahead; ++line) {
            prefetcht1(ptr[*at]);
            if (line + 1 < spec_.lines_ahead) add(*at, argument(offsetof(tile_args_t, next_line)));
        }
        add(**walk.next, argument(offsetof(tile_args_t, next_period)));
    }
    if (spec_.fetches_a) {
        const gpr_t at = gpr("rows ahead", argument(offsetof(tile_args_t, a_ahead)));
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
void tile_kernel_t::write_step(const sums_t &sums, const walk_t &walk, int copy, bool is_rest) {
    const auto size = [](const auto &list) { return static_cast<int>(list.size()); };
    const auto take = [&](vecs_t &vecs, int count, const char *name) {
        while (size(vecs) < count) vecs.push_back(vec(name));
    };
    constexpr int most_passing = 4;
    vecs_t held, moving;
    const auto load_a = [&](const Xmm &to, int row) {
        if (is_rest) return load_rest_of_a(to, walk, row);
        vbroadcastss(to, dword[a_at(walk, row, copy)]);
    };
    const auto multiply_elements = [&](const vec_t &sum, const vec_t &a, const vec_t &b) {
        spec_.a_is_signed ? multiply(sum, b, *a) : multiply(sum, a, *b);
    };
    const auto sum_b = [&](int vector, const vec_t &b) {
        if (ones_) multiply_elements(b_sums_[vector], *ones_, b);
    };
    const auto load = [&](const Xmm &to, int vector) {
        const int count = sums.count(*this, vector);
        join_ ? join_b(to, walk, vector, count, is_rest)
              : load_b(to, b_at(walk, copy, vector), count);
        if (b_zeros_) vsubps(to, to, ptr[**frame_ + zeros_at(vector, 0)]);
        keep_copy(walk, copy, vector, 0, to);
    };
    const auto passing = [&](int count) {
        const int others = has_product(isa(), spec_.step) + (join_ ? 1 : 0);
        return std::min({most_passing, count, free_vecs() - others});
    };
    const auto is_joined_pair = [&](int first) {
        return join_ && join_->has_pairs() && !is_rest && first + 1 < sums.vectors
               && sums.count(*this, first + 1) == lanes() && size(moving) > 1;
    };
    for (int v = 0; spec_.fetches_b && v < sums.vectors; ++v) fetch_b(walk, copy, v);
    if (spec_.fetches_rows) fetch_row(walk, copy, sums.vectors);
    if (ones_ && is_rest) load_ones(spec_.rest);
    if (converts_b(spec_.step)) return write_conversions(sums, walk, copy);
    if (spec_.has_pairs()) return write_pairs(sums, walk, copy);
    if (spec_.rows >= sums.vectors) {
        const bool broadcasts = !is_rest && reads_a_from_memory(sums.vectors);
        take(held, sums.vectors, "B");
        if (!broadcasts) take(moving, passing(spec_.rows), "A");
        for (int v = 0; v < sums.vectors; ++v) {
            load(held[v], v);
            sum_b(v, held[v]);
        }
        for (int row = 0; row < spec_.rows; ++row) {
            if (broadcasts) {
                multiply(sums.at(row, 0), held.front(), ptr_b[a_at(walk, row, copy)]);
                continue;
            }
            const vec_t &a = moving[row % size(moving)];
            load_a(a, row);
            for (int v = 0; v < sums.vectors; ++v) multiply_elements(sums.at(row, v), a, held[v]);
        }
    } else {
        take(held, spec_.rows, "A");
        take(moving, passing(sums.vectors), "B");
        for (int row = 0; row < spec_.rows; ++row) load_a(held[row], row);
        for (int v = 0; v < sums.vectors; ++v) {
            if (reads_b_from_memory(sums.count(*this, v))) {
                multiply(sums.at(0, v), held.front(), ptr[b_at(walk, copy, v)]);
                continue;
            }
            const vec_t &b = moving[v % size(moving)];
            if (!is_joined_pair(v / 2 * 2))
                load(b, v);
            else if (v % 2 == 0)
                join_pair_of_b(b, moving[(v + 1) % size(moving)], walk, v);
            sum_b(v, b);
            for (int row = 0; row < spec_.rows; ++row)
                multiply_elements(sums.at(row, v), held[row], b);
        }
    }
    if (spec_.a_is_transposed) {
        fetch_column_of_a(walk);
        add(*walk.bases.front(), *walk.pitch);
    }
    if (spec_.is_packed) return;
    advance_rows(*walk.b, walk);
    if (walk.ahead) advance_rows(**walk.ahead, walk);
}

/// To the next step of a B in place.
void tile_kernel_t::advance_rows(const Reg64 &b, const walk_t &walk) {
    const int rows = depth_of(spec_.step);
    rows == 1 ? add(b, **walk.b_pitch) : lea(b, ptr[b + **walk.b_pitch * rows]);
}

/// Ones for the first elements of a step, zeros behind them.
void tile_kernel_t::load_ones(uint32_t count) {
    constexpr uint32_t all = 0x01010101;
    vmovups(*ones_, constant_lanes(lanes(), all >> (8 * (depth_of(spec_.step) - count))));
}

/// Stores floats of vector `vector` and number `index` of a step, if B is copied.
void tile_kernel_t::keep_copy(
        const walk_t &walk, int copy, int vector, int index, const Xmm &floats) {
    if (!walk.to) return;
    const int offset = copy * copied_bytes() + (index * spec_.width() + vector * lanes()) * 4;
    vmovups(ptr[**walk.to + offset], floats);
}

/// The elements of the last step in each lane, with zeros behind them; nothing behind is read.
void tile_kernel_t::load_rest_of_a(const Xmm &to, const walk_t &walk, int row) {
    const gpr_t &elements = walk.left; // no steps are left
    load_last_bytes(*elements, walk.row(row), spec_.rest * element_bytes(spec_.step));
    if (has_avx512()) return vpbroadcastd(to, (*elements).cvt32());
    const Xmm lane(to.getIdx());
    vmovd(lane, (*elements).cvt32());
    vpbroadcastd(to, lane);
}

/// From where B's step begins, or that of the vector's stream.
int tile_kernel_t::b_offset(int copy, int vector) const {
    const int within = spec_.b_bytes(vector * lanes() % spec_.stream_width());
    return spec_.is_packed ? copy * spec_.b_bytes(spec_.stream_width()) + within : within;
}

Xbyak::RegExp tile_kernel_t::b_at(const walk_t &walk, int copy, int vector) const {
    const int stream = vector * lanes() / spec_.stream_width();
    const RegExp pair = stream < 2 ? RegExp(*walk.b) : RegExp(**walk.third);
    return (stream % 2 == 0 ? pair : pair + **walk.b_pitch) + b_offset(copy, vector);
}

Xbyak::RegExp tile_kernel_t::a_at(const walk_t &walk, int row, int copy) const {
    return spec_.a_is_transposed ? *walk.bases.front() + row * 4 : walk.row(row) + copy * 4;
}

/// Fetches the cache line that begins with a vector ahead of one of this step.
void tile_kernel_t::fetch_b(const walk_t &walk, int copy, int vector) {
    const int offset = b_offset(copy, vector);
    if (offset % cache_line_bytes != 0) return;
    if (spec_.joins_rows()) {
        for (int row = 0; row < depth_of(spec_.step); ++row)
            prefetcht1(ptr[walk.b_row(*walk.ahead, row) + offset]);
        return;
    }
    // Rows at multiples of a page share a set of the first-level cache.
    walk.ahead ? prefetcht1(ptr[**walk.ahead + offset])
               : prefetcht1(ptr[b_at(walk, copy, vector) + panel_bytes_ahead]);
}

void tile_kernel_t::fetch_row(const walk_t &walk, int copy, int vectors) {
    constexpr int least_bytes_ahead = 256;
    const int ahead = std::max(least_bytes_ahead, 2 * spec_.b_bytes(spec_.width()));
    for (int v = 0; v < vectors; ++v)
        if (b_offset(copy, v) % cache_line_bytes == 0) prefetcht0(ptr[b_at(walk, copy, v) + ahead]);
}

/// Columns are often pages apart, where processors fetch nothing themselves.
void tile_kernel_t::fetch_column_of_a(const walk_t &walk) {
    constexpr int steps_ahead = 8;
    const RegExp at = *walk.bases.front() + *walk.pitch * steps_ahead;
    prefetcht0(ptr[at]);
    if (spec_.rows > 1) prefetcht0(ptr[at + (spec_.rows - 1) * 4]);
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
           && (spec_.is_packed || count == lanes()) && !join_ && !ones_;
}

/// Packed panels are padded with zeros to whole vectors.
void tile_kernel_t::load_b(const Xmm &to, const RegExp &at, int count) {
    if (spec_.widens_b())
        return spec_.b_type == dnnl_s8 ? vpmovsxbw(to, ptr[at]) : vpmovzxbw(to, ptr[at]);
    if (spec_.step == step_t::f32)
        return io_.load(to, spec_.b_type, at, spec_.is_packed ? lanes() : count);
    vmovups(to, ptr[at]);
    if (spec_.b_shift() != 0) vxorps(to, to, flips());
}

/// Rows that the last step lacks are zeros; so are the elements of A.
void tile_kernel_t::join_b(const Xmm &to, const walk_t &walk, int vector, int count, bool is_rest) {
    join_->load(to, is_rest ? spec_.rest : depth_of(spec_.step), count,
            [&](int row) { return walk.b_row(walk.b, row) + b_offset(0, vector); });
    if (spec_.b_shift() != 0) vxorps(to, to, flips());
}

/// Vector `vector` of four rows, and the next one.
void tile_kernel_t::join_pair_of_b(const Xmm &to, const Xmm &next, const walk_t &walk, int vector) {
    join_->load_pair(
            to, next, [&](int row) { return walk.b_row(walk.b, row) + b_offset(0, vector); });
    for (const Xmm &b : {to, next})
        if (spec_.b_shift() != 0) vxorps(b, b, flips());
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

} // namespace kiln::x64::matrix
