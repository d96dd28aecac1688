// SPDX-License-Identifier: Apache-2.0
// Transposes vectors of 32-bit lanes by perfect shuffles: rows i and i + n/2 take turns, log2(n)
// times.

#include "cpu/x64/jit/interleave.hpp"

namespace kiln::x64::jit {

using Xbyak::Xmm;

interleave_t::interleave_t(generator_t &g)
    : g_(g) {
    if (!g.is_avx512()) return;
    const auto load_turns = [&](std::optional<vec_t> &to, const char *name, uint32_t even,
                                    uint32_t odd) {
        std::vector<uint32_t> turns;
        for (uint32_t i = 0; i < 8; ++i) {
            turns.push_back(even + i);
            turns.push_back(odd + i);
        }
        to.emplace(g.vec(name));
        g.assembler().vmovups(*to, g.constant_lanes(turns));
    };
    // Lanes of the vector that is overwritten count from 0, those of the other one from 16.
    load_turns(lower_, "turns of lower lanes", 0, 16);
    load_turns(upper_, "turns of upper lanes", 16 + 8, 8);
}

void interleave_t::transpose(std::vector<Xmm> &rows) const {
    const size_t half = rows.size() / 2;
    for (size_t step = 1; step < rows.size(); step *= 2) {
        std::vector<Xmm> next;
        for (size_t i = 0; i < half; ++i) {
            interleave(rows[i], rows[i + half]);
            next.insert(next.end(), {rows[i], rows[i + half]});
        }
        rows = next;
    }
}

/// one = lanes of both in turns from the lower halves, other = those from the upper halves.
void interleave_t::interleave(const Xmm &one, const Xmm &other) const {
    Xbyak::CodeGenerator &a = g_.assembler();
    const vec_t first = g_.vec("first");
    if (g_.is_avx512()) {
        a.vmovaps(*first, one);
        a.vpermt2d(one, *lower_, other);
        a.vpermt2d(other, *upper_, *first);
        return;
    }
    constexpr uint8_t lower_quarters = 0x20, upper_quarters = 0x31;
    const vec_t second = g_.vec("second");
    a.vunpcklps(*first, one, other);
    a.vunpckhps(*second, one, other);
    a.vperm2f128(g_.ymm(one), g_.ymm(first), g_.ymm(second), lower_quarters);
    a.vperm2f128(g_.ymm(other), g_.ymm(first), g_.ymm(second), upper_quarters);
}

} // namespace kiln::x64::jit
