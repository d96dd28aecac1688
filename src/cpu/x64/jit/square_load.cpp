// SPDX-License-Identifier: Apache-2.0
// Loads of a square of 32-bit elements that transpose it.
// A piece is the four elements of a row that a quarter (AVX2: half) of a vector holds.
// 1. vector (piece p, row r < 4) = piece p of rows r, r + 4, r + 8, r + 12 (AVX2: of r and r + 4);
// 2. the four vectors of a piece, each quarter of which has rows 4 q to 4 q + 3, are transposed
//    within quarters, which makes them four lines.

#include "cpu/x64/jit/square_load.hpp"

namespace kiln::x64::jit {
namespace {

constexpr int piece = 4; // elements

} // namespace

vecs_t square_load_t::operator()(const gpr_t &row, const gpr_t &stride) const {
    const auto lanes = static_cast<size_t>(g_.lanes());
    vecs_t vecs;
    for (size_t i = 0; i < lanes; ++i) vecs.push_back(g_.vec("line"));
    const gpr_t three = g_.gpr("three strides");
    g_.lea(*three, g_.ptr[*stride + *stride * 2]);
    for (size_t r = 0; r < piece; ++r) {
        for (size_t i = r; i < lanes; i += piece)
            load_pieces(*vecs[i], row, stride, three, static_cast<int>(i - r));
        g_.add(*row, *stride);
    }
    g_.lea(*row, g_.ptr[*row + (g_.has_avx512() ? *three : *stride) * piece]);
    for (size_t first = 0; first < lanes; first += piece) transpose(vecs, first);
    return vecs;
}

/// The elements from `first` on of a row and of every fourth row behind it.
void square_load_t::load_pieces(
        const Xmm &to, const gpr_t &row, const gpr_t &stride, const gpr_t &three, int first) const {
    const auto begin = *row + first * 4;
    g_.vmovups(g_.xmm(to), g_.ptr[begin]);
    if (!g_.has_avx512())
        return g_.vinsertf128(g_.ymm(to), g_.ymm(to), g_.ptr[begin + *stride * 4], 1);
    const Xbyak::Zmm all(to.getIdx());
    g_.vinsertf32x4(all, all, g_.ptr[begin + *stride * 4], 1);
    g_.vinsertf32x4(all, all, g_.ptr[begin + *stride * 8], 2);
    g_.vinsertf32x4(all, all, g_.ptr[begin + *three * 4], 3);
}

void square_load_t::transpose(const vecs_t &rows, size_t first) const {
    const Xmm &a = *rows[first], &b = *rows[first + 1], &c = *rows[first + 2],
              &d = *rows[first + 3];
    const vec_t low_ab = g_.vec("elements 0 and 1"), low_cd = g_.vec("the same of rows 2 and 3"),
                high_ab = g_.vec("elements 2 and 3"), high_cd = g_.vec("the same of rows 2 and 3");
    g_.vunpcklps(*low_ab, a, b);
    g_.vunpckhps(*high_ab, a, b);
    g_.vunpcklps(*low_cd, c, d);
    g_.vunpckhps(*high_cd, c, d);
    g_.vunpcklpd(a, *low_ab, *low_cd);
    g_.vunpckhpd(b, *low_ab, *low_cd);
    g_.vunpcklpd(c, *high_ab, *high_cd);
    g_.vunpckhpd(d, *high_ab, *high_cd);
}

} // namespace kiln::x64::jit
