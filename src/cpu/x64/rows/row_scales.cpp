// SPDX-License-Identifier: Apache-2.0
// The scale of each row of a row block.

#include "cpu/x64/rows/row_scales.hpp"

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

using jit::vec_t;
using Xbyak::Xmm;

namespace {

constexpr uint32_t magnitude_bits = 0x7fffffff; // of a float

} // namespace

row_scales_t::row_scales_t(jit::generator_t &g, int rows)
    : g_(g) {
    for (int row = 0; row < rows; ++row) {
        maxima_.push_back(g.vec("max|y|, then second factor"));
        g.set_zero(maxima_.back());
    }
}

void row_scales_t::add(const Xmm &y, int row, int count) {
    const Xmm maximum = *maxima_[row];
    g_.vandps(y, y, g_.constant_bits(magnitude_bits));
    g_.keep_lanes(y, count);
    g_.vpmaxsd(maximum, maximum, y);
}

void row_scales_t::finish(const Xbyak::Reg64 &factor, const jit::pitched_rows_t &scales) {
    const int rows = static_cast<int>(maxima_.size());
    jit::reduce_integer_maxima(g_, maxima_);
    const vec_t scale = g_.vec("scales");
    g_.vbroadcastss(*scale, g_.dword[factor]);
    g_.vmulps(*scale, *scale, *maxima_.front());
    store_lanes(g_, scale, scales, rows);
    jit::round_to(g_, scale, scales.type);

    // 1 / scale = (2^64) * (1 / (scale * 2^64)) if the scale is small.
    constexpr float small = 0x1p-64f, enlargement = 0x1p64f;
    const vec_t first_factor = g_.vec("first factor: 2^64 if the scale is small");
    g_.broadcast(first_factor, 1.f);
    {
        const jit::lane_condition_t is_small(g_, scale, jit::comparison_t::lt, g_.constant(small));
        is_small.select(first_factor, g_.constant(enlargement));
    }
    g_.vmulps(*scale, *scale, *first_factor);
    const vec_t reciprocal = g_.vec("1 / scale");
    g_.broadcast(reciprocal, 1.f);
    g_.vdivps(g_.xmm(reciprocal), g_.xmm(reciprocal), g_.xmm(scale));
    spread_lanes(g_, maxima_, reciprocal);
    for (int row = 0; row < rows; ++row) first_factors_.push_back(g_.vec("first factor"));
    spread_lanes(g_, first_factors_, first_factor);
}

void row_scales_t::divide(const Xmm &y, int row) const {
    g_.vmulps(y, y, *first_factors_[row]);
    g_.vmulps(y, y, *maxima_[row]);
}

} // namespace kiln::x64
