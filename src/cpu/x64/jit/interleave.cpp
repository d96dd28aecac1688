// SPDX-License-Identifier: Apache-2.0
// Transposition by log2(n) perfect shuffles: each interleaves rows i and i + n/2.

#include "cpu/x64/jit/interleave.hpp"

namespace kiln::x64::jit {

interleave_t::interleave_t(generator_t &g, int unit)
    : g_(g)
    , unit_(unit) {
    if (!g.has_avx512()) return;
    const auto load_indices = [&](std::optional<vec_t> &to, const char *name, uint32_t even,
                                      uint32_t odd) {
        std::vector<uint32_t> indices;
        for (uint32_t first = 0; first < 8; first += static_cast<uint32_t>(unit))
            for (const uint32_t vector : {even, odd})
                for (uint32_t i = 0; i < static_cast<uint32_t>(unit); ++i)
                    indices.push_back(vector + first + i);
        to.emplace(g.vec(name));
        g.vmovups(*to, g.constant_lanes(indices));
    };
    // Indices of the overwritten vector's lanes begin at 0, those of the other one's at 16.
    load_indices(lower_, "indices of lower units", 0, 16);
    load_indices(upper_, "indices of upper units", 16 + 8, 8);
}

void interleave_t::transpose(std::vector<Xmm> &rows, size_t count) const {
    const size_t half = rows.size() / 2;
    // Which vectors of each step's result are needed, the last step first.
    std::vector<std::vector<bool>> wanted;
    std::vector<bool> results(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) results[i] = i < count;
    for (size_t step = 1; step < rows.size(); step *= 2) {
        wanted.push_back(results);
        for (size_t i = 0; i < half; ++i) {
            const bool is_wanted = wanted.back()[2 * i] || wanted.back()[2 * i + 1];
            results[i] = results[i + half] = is_wanted;
        }
    }
    for (; !wanted.empty(); wanted.pop_back()) {
        std::vector<Xmm> next;
        for (size_t i = 0; i < half; ++i) {
            const bool upper = wanted.back()[2 * i + 1];
            if (upper || wanted.back()[2 * i]) interleave(rows[i], rows[i + half], upper);
            next.insert(next.end(), {rows[i], rows[i + half]});
        }
        rows = next;
    }
}

/// one = units of the lower halves of both, alternating; other = those of the upper halves.
void interleave_t::interleave(const Xmm &one, const Xmm &other, bool upper) const {
    if (g_.has_avx512() && !upper) return g_.vpermt2d(one, *lower_, other);
    const vec_t first = g_.vec("first");
    if (g_.has_avx512()) {
        g_.vmovaps(*first, one);
        g_.vpermt2d(one, *lower_, other);
        g_.vpermt2d(other, *upper_, *first);
        return;
    }
    constexpr uint8_t lower_quarters = 0x20, upper_quarters = 0x31;
    if (unit_ == 4) {
        g_.vmovaps(*first, one);
        g_.vperm2f128(g_.ymm(one), g_.ymm(first), g_.ymm(other), lower_quarters);
        if (upper) g_.vperm2f128(g_.ymm(other), g_.ymm(first), g_.ymm(other), upper_quarters);
        return;
    }
    const vec_t second = g_.vec("second");
    if (unit_ == 1) {
        g_.vunpcklps(*first, one, other);
        g_.vunpckhps(*second, one, other);
    } else {
        g_.vunpcklpd(*first, one, other);
        g_.vunpckhpd(*second, one, other);
    }
    g_.vperm2f128(g_.ymm(one), g_.ymm(first), g_.ymm(second), lower_quarters);
    if (upper) g_.vperm2f128(g_.ymm(other), g_.ymm(first), g_.ymm(second), upper_quarters);
}

} // namespace kiln::x64::jit
