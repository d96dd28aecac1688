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
    , groups_(g.vec("groups of four columns"))
    , columns_(g.vec("bytes of columns")) {
    const auto row_lanes = static_cast<uint32_t>(g.lanes()) / all_rows;
    g.vmovups(groups_, g.constant_lanes([=](uint32_t lane) {
        return lane % all_rows * row_lanes + lane / all_rows;
    }));
    constexpr uint32_t first_bytes = 0x0c080400; // of the four rows
    g.vmovups(columns_, g.constant_lanes([](uint32_t lane) {
        return first_bytes + lane % all_rows * 0x01010101;
    }));
}

void row_join_t::load(const Xbyak::Xmm &to, int rows, int count,
        const function_ref_t<Xbyak::RegExp(int row)> &at) const {
    if (rows == all_rows && count == g_.lanes()) return load_whole(to, at);
    io_.load_bits(to, 1, at(0), count);
    for (int i = 1; i < rows; ++i) {
        const jit::vec_t row = g_.vec("row");
        io_.load_bits(row, 1, at(i), count);
        g_.vpslld(row, row, static_cast<uint8_t>(8 * i));
        g_.vorps(to, to, *row);
    }
}

/// The rows' bytes, one row behind the other, are a vector. The first permutation brings those of
/// four columns into each 128-bit lane, the second one those of each column into 32 bits.
void row_join_t::load_whole(
        const Xbyak::Xmm &to, const function_ref_t<Xbyak::RegExp(int row)> &at) const {
    const Xbyak::Xmm xmm = jit::generator_t::xmm(to);
    const Xbyak::Ymm ymm = jit::generator_t::ymm(to);
    const auto row = [&](int index) { return g_.ptr[at(index)]; };
    if (g_.has_avx512()) {
        const Xbyak::Zmm zmm = jit::generator_t::zmm(to);
        g_.vmovups(xmm, row(0));
        for (int i = 1; i < all_rows; ++i)
            g_.vinsertf32x4(zmm, zmm, row(i), static_cast<uint8_t>(i));
        g_.vpermd(zmm, jit::generator_t::zmm(groups_), zmm);
    } else {
        const jit::vec_t upper = g_.vec("upper rows");
        const Xbyak::Xmm others = jit::generator_t::xmm(upper);
        g_.vmovq(xmm, row(0));
        g_.vmovhps(xmm, xmm, row(1));
        g_.vmovq(others, row(2));
        g_.vmovhps(others, others, row(3));
        g_.vinsertf128(ymm, ymm, others, 1);
        g_.vpermd(ymm, jit::generator_t::ymm(groups_), ymm);
    }
    g_.vpshufb(g_.full(to), g_.full(to), g_.full(columns_));
}

} // namespace kiln::x64::matrix
