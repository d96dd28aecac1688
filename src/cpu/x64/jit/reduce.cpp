// SPDX-License-Identifier: Apache-2.0
// Folds a vector into one value.

#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::jit {

using Xbyak::Xmm;

namespace {

/// Combines every lane with the others: halves, then quarters ... Partners do the same operation
/// on swapped operands, so all lanes end with the same bits.
template <typename combine_t>
void reduce(generator_t &g, const Xmm &vec, const combine_t &combine) {
    Xbyak::CodeGenerator &a = g.assembler();
    const vec_t swapped = g.vec("swapped");
    const Xmm all = g.full(vec);
    constexpr int swap_pairs = 0x4e;
    constexpr int swap_neighbours = 0xb1;
    if (g.is_avx512()) {
        for (const int swap : {swap_pairs, swap_neighbours}) {
            a.vshuff32x4(Xbyak::Zmm(swapped.index()), Xbyak::Zmm(vec.getIdx()), all,
                    static_cast<uint8_t>(swap));
            combine(all, swapped);
        }
    } else {
        a.vperm2f128(g.ymm(swapped), g.ymm(vec), all, 1);
        combine(all, swapped);
    }
    for (const int swap : {swap_pairs, swap_neighbours}) {
        a.vpermilps(swapped, all, static_cast<uint8_t>(swap));
        combine(all, swapped);
    }
}

} // namespace

void reduce_sum(generator_t &g, const Xmm &vec) {
    reduce(g, vec,
            [&](const Xmm &all, const Xmm &other) { g.assembler().vaddps(all, all, other); });
}

void reduce_max(generator_t &g, const Xmm &vec) {
    reduce(g, vec,
            [&](const Xmm &all, const Xmm &other) { g.assembler().vmaxps(all, all, other); });
}

} // namespace kiln::x64::jit
