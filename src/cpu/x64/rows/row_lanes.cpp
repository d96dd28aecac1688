// SPDX-License-Identifier: Apache-2.0
// One value for each row of a row block.

#include "cpu/x64/rows/row_lanes.hpp"

#include <optional>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

using Xbyak::RegExp;
using Xbyak::Xmm;

namespace {

RegExp element(const jit::pitched_rows_t &rows, int row) {
    return rows.base + static_cast<int>(row * rows.pitch);
}

/// Whether the elements are adjacent, and as many bytes as one instruction moves.
bool are_together(const jit::pitched_rows_t &rows, int count) {
    const auto size = static_cast<dim_t>(data_type_size(rows.type));
    return rows.pitch == size && count * size >= 4;
}

void load_together(jit::generator_t &g, const Xmm &to, const RegExp &from, size_t bytes) {
    switch (bytes) {
    case 4: return g.vmovd(to, g.dword[from]);
    case 8: return g.vmovq(to, g.qword[from]);
    default: return g.vmovups(to, g.xword[from]);
    }
}

} // namespace

void load_lanes(jit::generator_t &g, const Xmm &lanes, const jit::pitched_rows_t &from, int rows) {
    const Xmm to = g.xmm(lanes);
    if (are_together(from, rows)) {
        load_together(g, to, from.base, static_cast<size_t>(rows) * data_type_size(from.type));
        if (from.type != dnnl_f32) jit::expand_packed(g, lanes, from.type, lanes);
        return;
    }
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

void store_lanes(jit::generator_t &g, const Xmm &lanes, const jit::pitched_rows_t &to, int rows) {
    std::optional<jit::vec_t> packed;
    if (to.type != dnnl_f32)
        jit::pack(g, *packed.emplace(g.vec("elements of rows")), to.type, g.full(lanes));
    const Xmm from = g.xmm(packed ? Xmm(**packed) : lanes);
    if (are_together(to, rows)) {
        const int bytes = rows * static_cast<int>(data_type_size(to.type));
        return jit::lanes_io_t(g).store_bytes(from, 0, bytes, to.base);
    }
    for (int row = 0; row < rows; ++row) {
        const auto lane = static_cast<uint8_t>(row);
        if (to.type != dnnl_f32)
            g.vpextrw(g.word[element(to, row)], from, lane);
        else if (row == 0)
            g.vmovss(g.dword[to.base], from);
        else
            g.vextractps(g.dword[element(to, row)], from, lane);
    }
}

void spread_lanes(
        jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xmm &lanes, bool by_loads) {
    const jit::lane_broadcasts_t broadcast(g, lanes, by_loads);
    for (size_t row = 0; row < vecs.size(); ++row) broadcast(vecs[row], static_cast<int>(row));
}

row_sums_t::row_sums_t(jit::generator_t &g, int rows, int accumulators, bool are_zeroed)
    : g_(g)
    , rows_(rows)
    , accumulators_(accumulators) {
    for (int i = 0; i < rows * accumulators; ++i) {
        sums_.push_back(g.vec("sum"));
        if (are_zeroed) g.set_zero(sums_.back());
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
