// SPDX-License-Identifier: Apache-2.0
// Extraction of an aligned part of a vector register.

#include "cpu/x64/jit/vector_part.hpp"

#include <cassert>

namespace kiln::x64::jit {

using Xbyak::Xmm;

namespace {

constexpr int quarter_bytes = 16;

void extract_quarter(generator_t &g, const Xmm &to, const Xmm &vec, int index) {
    if (index == 0)
        g.vmovaps(g.xmm(to), g.xmm(vec));
    else if (g.has_avx512())
        g.vextractf32x4(g.xmm(to), Xbyak::Zmm(vec.getIdx()), static_cast<uint8_t>(index));
    else
        g.vextractf128(g.xmm(to), g.ymm(vec), static_cast<uint8_t>(index));
}

} // namespace

void extract_part(generator_t &g, const Xmm &to, const Xmm &vec, int first, int size) {
    const Xmm low = g.xmm(to);
    if (size == g.lanes() * 4) {
        g.vmovaps(g.full(to), g.full(vec));
    } else if (size == 2 * quarter_bytes) {
        if (first == 0)
            g.vmovaps(g.ymm(to), g.ymm(vec));
        else
            g.vextractf64x4(g.ymm(to), Xbyak::Zmm(vec.getIdx()), 1);
    } else {
        Xmm from = g.xmm(vec);
        if (first >= quarter_bytes || size == quarter_bytes) {
            extract_quarter(g, to, vec, first / quarter_bytes);
            from = low;
        }
        const int place = first % quarter_bytes;
        assert(size == 4 || size == 8 || size == quarter_bytes);
        if (size == 4)
            g.vinsertps(low, from, from, static_cast<uint8_t>(place / 4 << 6 | 0xe));
        else if (size == 8)
            place == 0 ? g.vmovq(low, from) : g.vpsrldq(low, from, 8);
    }
}

} // namespace kiln::x64::jit
