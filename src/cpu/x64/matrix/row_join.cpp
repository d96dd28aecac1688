// SPDX-License-Identifier: Apache-2.0
// The rows of a step of bytes, which lie apart, as the lanes that the step multiplies.

#include "cpu/x64/matrix/row_join.hpp"

namespace kiln::x64::matrix {
namespace {

constexpr int all_rows = 4;

} // namespace

row_join_t::row_join_t(jit::generator_t &g, jit::lanes_io_t &io)
    : g_(g)
    , io_(io)
    , columns_(g.vec("bytes of columns")) {
    if (g.has_avx512()) {
        groups_.emplace(g.vec("groups of four columns"));
        const auto row_lanes = static_cast<uint32_t>(g.lanes()) / all_rows;
        g.vmovups(*groups_, g.constant_lanes([=](uint32_t lane) {
            return lane % all_rows * row_lanes + lane / all_rows;
        }));
    }
    // Of the four rows one behind the other, or of two pairs of rows.
    const uint32_t first_bytes = groups_ ? 0x0c080400 : 0x09080100;
    const uint32_t next_bytes = groups_ ? 0x01010101 : 0x02020202;
    g.vmovups(columns_, g.constant_lanes([=](uint32_t lane) {
        return first_bytes + lane % all_rows * next_bytes;
    }));
}

void row_join_t::load(const Xbyak::Xmm &to, int rows, int count, const place_t &at) const {
    if (rows == all_rows && count == g_.lanes()) return load_whole(to, at);
    io_.load_bits(to, 1, at(0), count);
    for (int i = 1; i < rows; ++i) {
        const jit::vec_t row = g_.vec("row");
        io_.load_bits(row, 1, at(i), count);
        g_.vpslld(row, row, static_cast<uint8_t>(8 * i));
        g_.vorps(to, to, *row);
    }
}

/// AVX2: as half a pair. AVX-512: the rows' bytes, one row behind the other, are a vector. The
/// first permutation brings those of four columns into each 128-bit lane, the second one those of
/// each column into 32 bits.
void row_join_t::load_whole(const Xbyak::Xmm &to, const place_t &at) const {
    if (!groups_) {
        const Xbyak::Ymm ymm = jit::generator_t::ymm(to);
        const jit::vec_t odd = g_.vec("odd rows");
        load_half_rows(ymm, at, 0);
        load_half_rows(jit::generator_t::ymm(odd), at, 1);
        g_.vpunpcklbw(ymm, ymm, jit::generator_t::ymm(odd));
        return join_pairs_of_rows(ymm);
    }
    const Xbyak::Zmm zmm = jit::generator_t::zmm(to);
    g_.vmovups(jit::generator_t::xmm(to), g_.ptr[at(0)]);
    for (int i = 1; i < all_rows; ++i)
        g_.vinsertf32x4(zmm, zmm, g_.ptr[at(i)], static_cast<uint8_t>(i));
    g_.vpermd(zmm, jit::generator_t::zmm(*groups_), zmm);
    g_.vpshufb(zmm, zmm, jit::generator_t::zmm(columns_));
}

/// Eight columns of rows `row` and `row` + 2, each in the lower half of a 128-bit lane.
void row_join_t::load_half_rows(const Xbyak::Ymm &to, const place_t &at, int row) const {
    const Xbyak::Xmm xmm(to.getIdx());
    constexpr uint8_t lower_to_lanes = 0x10;
    g_.vmovq(xmm, g_.ptr[at(row)]);
    g_.vmovhps(xmm, xmm, g_.ptr[at(row + 2)]);
    g_.vpermq(to, to, lower_to_lanes);
}

/// AVX2: 128-bit lanes with bytes of the even rows and of the odd rows alternate, which gives pairs
/// of rows: the lower 128 bits have the first pair, the upper ones the second pair.
void row_join_t::load_pair(const Xbyak::Xmm &to, const Xbyak::Xmm &next, const place_t &at) const {
    const jit::vec_t odd = g_.vec("odd rows");
    const auto load_rows = [&](const Xbyak::Xmm &rows, int row) {
        g_.vmovups(jit::generator_t::xmm(rows), g_.ptr[at(row)]);
        const Xbyak::Ymm ymm = jit::generator_t::ymm(rows);
        g_.vinserti128(ymm, ymm, g_.ptr[at(row + 2)], 1);
    };
    const Xbyak::Ymm first = jit::generator_t::ymm(to), second = jit::generator_t::ymm(next);
    load_rows(first, 0);
    load_rows(odd, 1);
    g_.vpunpckhbw(second, first, jit::generator_t::ymm(odd));
    g_.vpunpcklbw(first, first, jit::generator_t::ymm(odd));
    join_pairs_of_rows(first);
    join_pairs_of_rows(second);
}

/// Four columns of both pairs of rows come into each 128-bit lane, then those of each column.
void row_join_t::join_pairs_of_rows(const Xbyak::Ymm &pairs) const {
    constexpr uint8_t middle_swapped = 0xd8;
    g_.vpermq(pairs, pairs, middle_swapped);
    g_.vpshufb(pairs, pairs, jit::generator_t::ymm(columns_));
}

} // namespace kiln::x64::matrix
