// SPDX-License-Identifier: Apache-2.0
// One float for each of up to four rows that go together.

#include "cpu/x64/normalization/row_lanes.hpp"

#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::normalization {

using Xbyak::RegExp;
using Xbyak::Xmm;

void load_lanes(jit::generator_t &g, const Xmm &lanes, const RegExp &at, dim_t pitch, int rows) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm to = g.xmm(lanes);
    a.vmovss(to, a.dword[at]);
    for (int row = 1; row < rows; ++row)
        a.vinsertps(to, to, a.dword[at + static_cast<int>(row * pitch)],
                static_cast<uint8_t>(row << 4));
}

void store_lanes(jit::generator_t &g, const Xmm &lanes, const RegExp &at, dim_t pitch, int rows) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm from = g.xmm(lanes);
    a.vmovss(a.dword[at], from);
    for (int row = 1; row < rows; ++row)
        a.vextractps(a.dword[at + static_cast<int>(row * pitch)], from, static_cast<uint8_t>(row));
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
        load_lanes(g, lanes, from.mean, from.pitch, rows);
        spread_lanes(g, mean, lanes);
    }
    load_lanes(g, lanes, from.variance, from.pitch, rows);
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
