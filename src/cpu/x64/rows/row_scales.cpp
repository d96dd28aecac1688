// SPDX-License-Identifier: Apache-2.0
// Scales that rows get from their greatest elements.

#include "cpu/x64/rows/row_scales.hpp"

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::normalization {

using jit::vec_t;
using Xbyak::Xmm;

namespace {

constexpr uint32_t magnitude_bits = 0x7fffffff; // of a float

} // namespace

row_scales_t::row_scales_t(jit::generator_t &g, int rows)
    : g_(g) {
    for (int row = 0; row < rows; ++row) {
        greatest_.push_back(g.vec("max|y|, then 1 / scale"));
        g.set_zero(greatest_.back());
    }
}

void row_scales_t::add(const Xmm &y, int row, int count) {
    const Xmm greatest = *greatest_[static_cast<size_t>(row)];
    g_.assembler().vandps(y, y, g_.constant_bits(magnitude_bits));
    g_.keep_lanes(y, count);
    g_.assembler().vpmaxsd(greatest, greatest, y);
}

void row_scales_t::finish(const Xbyak::Reg64 &factor, const row_elements_t &scales) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const int rows = static_cast<int>(greatest_.size());
    jit::reduce_integer_maxima(g_, greatest_);
    const vec_t scale = g_.vec("scales of rows");
    a.vbroadcastss(*scale, a.dword[factor]);
    a.vmulps(*scale, *scale, *greatest_.front());
    store_lanes(g_, scale, scales, rows);
    jit::round_to(g_, scale, scales.type);

    constexpr float small = 0x1p-64f, enlargement = 0x1p64f;
    const vec_t enlarging = g_.vec("2^64 where a scale is small");
    g_.broadcast(enlarging, 1.f);
    {
        const jit::lane_condition_t is_small(g_, scale, jit::comparison_t::lt, g_.constant(small));
        is_small.select(enlarging, g_.constant(enlargement));
    }
    a.vmulps(*scale, *scale, *enlarging);
    const vec_t reciprocal = g_.vec("1 / scale");
    g_.broadcast(reciprocal, 1.f);
    a.vdivps(g_.xmm(reciprocal), g_.xmm(reciprocal), g_.xmm(scale));
    spread_lanes(g_, greatest_, reciprocal);
    for (int row = 0; row < rows; ++row) enlarging_.push_back(g_.vec("2^64 if it is small"));
    spread_lanes(g_, enlarging_, enlarging);
}

void row_scales_t::divide(const Xmm &y, int row) const {
    const auto at = static_cast<size_t>(row);
    g_.assembler().vmulps(y, y, *enlarging_[at]);
    g_.assembler().vmulps(y, y, *greatest_[at]);
}

} // namespace kiln::x64::normalization
