// SPDX-License-Identifier: Apache-2.0
// The rows of a step of B, which lie apart, as the lanes that the step multiplies.

#include "cpu/x64/matrix/row_join.hpp"

namespace kiln::x64::matrix {
namespace {

/// Columns whose elements are a 128-bit lane.
constexpr uint32_t group_columns = 4;

} // namespace

row_join_t::row_join_t(jit::generator_t &g, jit::lanes_io_t &io, data_type_t type)
    : g_(g)
    , io_(io)
    , size_(jit::generator_t::size_of(type))
    , groups_(g.vec("groups of columns"))
    , columns_(g.vec("bytes of columns")) {
    const auto size = static_cast<uint32_t>(size_);
    // In lanes of 32 bits: all elements of a row, and those of a group.
    const auto row = static_cast<uint32_t>(g.lanes()) * size / 4, run = group_columns * size / 4;
    g.vmovups(*groups_, g.constant_lanes([=](uint32_t lane) {
        const uint32_t group = lane / 4, place = lane % 4;
        return place / run * row + group * run + place % run;
    }));
    g.vmovups(*columns_, g.constant_lanes([=](uint32_t lane) {
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t in_row = lane % 4 * size + i % size;
            bytes |= (i / size * group_columns * size + in_row) << (8 * i);
        }
        return bytes;
    }));
}

void row_join_t::load(const Xbyak::Xmm &to, int rows, int count,
        const function_ref_t<Xbyak::RegExp(int row)> &at) const {
    if (rows == this->rows() && count == g_.lanes()) return load_whole(to, at);
    io_.load_bits(to, size_, at(0), count);
    for (int i = 1; i < rows; ++i) {
        const jit::vec_t row = g_.vec("row");
        io_.load_bits(*row, size_, at(i), count);
        g_.vpslld(*row, *row, static_cast<uint8_t>(8 * size_ * i));
        g_.vorps(to, to, *row);
    }
}

/// All rows, one behind the other, are a vector. The first permutation brings the elements of four
/// columns into each 128-bit lane, the second one those of each column into 32 bits.
void row_join_t::load_whole(
        const Xbyak::Xmm &to, const function_ref_t<Xbyak::RegExp(int row)> &at) const {
    const Xbyak::Xmm xmm = jit::generator_t::xmm(to);
    const Xbyak::Ymm ymm = jit::generator_t::ymm(to);
    const Xbyak::Zmm zmm = jit::generator_t::zmm(to);
    const auto row = [&](int index) { return g_.ptr[at(index)]; };
    if (const int bytes = g_.lanes() * size_; bytes == 32) {
        g_.vmovups(ymm, row(0));
        g_.vinsertf64x4(zmm, zmm, row(1), 1);
    } else if (bytes == 16) {
        g_.vmovups(xmm, row(0));
        for (int i = 1; i < rows(); ++i) {
            const auto place = static_cast<uint8_t>(i);
            g_.has_avx512() ? g_.vinsertf32x4(zmm, zmm, row(i), place)
                            : g_.vinsertf128(ymm, ymm, row(i), place);
        }
    } else {
        const jit::vec_t upper = g_.vec("upper rows");
        const Xbyak::Xmm others = jit::generator_t::xmm(*upper);
        g_.vmovq(xmm, row(0));
        g_.vmovhps(xmm, xmm, row(1));
        g_.vmovq(others, row(2));
        g_.vmovhps(others, others, row(3));
        g_.vinsertf128(ymm, ymm, others, 1);
    }
    if (g_.has_avx512()) {
        g_.vpermd(zmm, jit::generator_t::zmm(groups_), zmm);
        g_.vpshufb(zmm, zmm, jit::generator_t::zmm(columns_));
    } else {
        g_.vpermd(ymm, jit::generator_t::ymm(groups_), ymm);
        g_.vpshufb(ymm, ymm, jit::generator_t::ymm(columns_));
    }
}

} // namespace kiln::x64::matrix
