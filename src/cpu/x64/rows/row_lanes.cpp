// SPDX-License-Identifier: Apache-2.0
// One float for each of up to four rows that go together.

#include "cpu/x64/rows/row_lanes.hpp"

#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::normalization {

using Xbyak::RegExp;
using Xbyak::Xmm;

namespace {

RegExp element(const row_elements_t &elements, int row) {
    return elements.first + static_cast<int>(row * elements.pitch);
}

} // namespace

void load_lanes(jit::generator_t &g, const Xmm &lanes, const row_elements_t &from, int rows) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm to = g.xmm(lanes);
    if (from.type == dnnl_f32) {
        a.vmovss(to, a.dword[from.first]);
        for (int row = 1; row < rows; ++row)
            a.vinsertps(to, to, a.dword[element(from, row)], static_cast<uint8_t>(row << 4));
        return;
    }
    a.vpxor(to, to, to);
    for (int row = 0; row < rows; ++row) a.vpinsrw(to, to, a.word[element(from, row)], row);
    jit::expand_packed(g, lanes, from.type, lanes);
}

void store_lanes(jit::generator_t &g, const Xmm &lanes, const row_elements_t &to, int rows) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm from = g.xmm(lanes);
    if (to.type == dnnl_f32) {
        a.vmovss(a.dword[to.first], from);
        for (int row = 1; row < rows; ++row)
            a.vextractps(a.dword[element(to, row)], from, static_cast<uint8_t>(row));
        return;
    }
    const jit::vec_t packed = g.vec("elements of rows");
    jit::pack(g, packed, to.type, g.full(lanes));
    for (int row = 0; row < rows; ++row)
        a.vpextrw(a.word[element(to, row)], g.xmm(packed), static_cast<uint8_t>(row));
}

void spread_lanes(jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xmm &lanes) {
    for (size_t row = 0; row < vecs.size(); ++row)
        jit::broadcast_lane(g, vecs[row], lanes, static_cast<int>(row));
}

void load_statistics(jit::generator_t &g, std::span<const jit::vec_t> mean,
        std::span<const jit::vec_t> r, const stored_statistics_t &from, float epsilon) {
    const jit::vec_t lanes = g.vec("mean, then variance");
    const int rows = static_cast<int>(r.size());
    if (!mean.empty()) {
        load_lanes(g, lanes, {from.mean, from.type, from.pitch}, rows);
        spread_lanes(g, mean, lanes);
    }
    load_lanes(g, lanes, {from.variance, from.type, from.pitch}, rows);
    reciprocal_deviation(g, lanes, epsilon);
    spread_lanes(g, r, lanes);
}

void reciprocal_deviation(jit::generator_t &g, const Xmm &variance, float epsilon) {
    Xbyak::CodeGenerator &a = g.assembler();
    const jit::vec_t divisor = g.vec("sqrt(variance + epsilon)");
    const Xmm root = g.xmm(divisor);
    const Xmm lanes = g.xmm(variance);
    g.broadcast(root, epsilon);
    a.vaddps(root, root, lanes);
    a.vsqrtps(root, root);
    g.broadcast(lanes, 1.f);
    a.vdivps(lanes, lanes, root);
}

} // namespace kiln::x64::normalization
