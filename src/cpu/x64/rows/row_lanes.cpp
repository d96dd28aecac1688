// SPDX-License-Identifier: Apache-2.0
// One value for each row of a row block.

#include "cpu/x64/rows/row_lanes.hpp"

#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

using Xbyak::RegExp;
using Xbyak::Xmm;

namespace {

RegExp element(const pitched_rows_t &rows, int row) {
    return rows.base + static_cast<int>(row * rows.pitch);
}

} // namespace

void load_lanes(jit::generator_t &g, const Xmm &lanes, const pitched_rows_t &from, int rows) {
    const Xmm to = g.xmm(lanes);
    if (from.type == dnnl_f32) {
        g.vmovss(to, g.dword[from.base]);
        for (int row = 1; row < rows; ++row)
            g.vinsertps(to, to, g.dword[element(from, row)], static_cast<uint8_t>(row << 4));
        return;
    }
    g.vpxor(to, to, to);
    for (int row = 0; row < rows; ++row) g.vpinsrw(to, to, g.word[element(from, row)], row);
    jit::expand_packed(g, lanes, from.type, lanes);
}

void store_lanes(jit::generator_t &g, const Xmm &lanes, const pitched_rows_t &to, int rows) {
    const Xmm from = g.xmm(lanes);
    if (to.type == dnnl_f32) {
        g.vmovss(g.dword[to.base], from);
        for (int row = 1; row < rows; ++row)
            g.vextractps(g.dword[element(to, row)], from, static_cast<uint8_t>(row));
        return;
    }
    const jit::vec_t packed = g.vec("elements of rows");
    jit::pack(g, packed, to.type, g.full(lanes));
    for (int row = 0; row < rows; ++row)
        g.vpextrw(g.word[element(to, row)], g.xmm(packed), static_cast<uint8_t>(row));
}

void spread_lanes(jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xmm &lanes) {
    for (size_t row = 0; row < vecs.size(); ++row)
        jit::broadcast_lane(g, vecs[row], lanes, static_cast<int>(row));
}

row_sums_t::row_sums_t(jit::generator_t &g, int rows, int accumulators)
    : g_(g)
    , rows_(rows)
    , accumulators_(accumulators) {
    for (int i = 0; i < rows * accumulators; ++i) {
        sums_.push_back(g.vec("sum"));
        g.set_zero(sums_.back());
    }
}

jit::vec_t row_sums_t::reduce() {
    for (int step = accumulators_ / 2; step > 0; step /= 2)
        for (int row = 0; row < rows_; ++row)
            for (int i = 0; i < step; ++i) g_.vaddps(of(row, i), of(row, i), of(row, i + step));
    jit::vecs_t rows;
    for (int row = 0; row < rows_; ++row) rows.push_back(std::move(sums_[index(row, 0)]));
    sums_.clear();
    jit::reduce_sums(g_, rows);
    return std::move(rows.front());
}

} // namespace kiln::x64
