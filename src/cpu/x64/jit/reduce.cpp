// SPDX-License-Identifier: Apache-2.0
// Reductions of the lanes of a vector. Quarters are the 128-bit parts of a vector: first the lanes
// of each quarter are combined, then the quarters.

#include "cpu/x64/jit/reduce.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "common/function_ref.hpp"

namespace kiln::x64::jit {

using Xbyak::Ymm;
using Xbyak::Zmm;

namespace {

constexpr int swap_pairs = 0x4e;
constexpr int swap_neighbours = 0xb1;

/// The steps of a reduction: which lanes are combined with which.
enum class step_t { pairs_of_lanes, neighbour_lanes, pairs_of_quarters, neighbour_quarters };

std::span<const step_t> steps(const generator_t &g) {
    // With two quarters, one step combines them.
    static constexpr step_t all[] = {step_t::pairs_of_lanes, step_t::neighbour_lanes,
            step_t::pairs_of_quarters, step_t::neighbour_quarters};
    return std::span(all).first(g.has_avx512() ? 4 : 3);
}

Xmm as_wide_as(const Xmm &vec, const Xmm &other) { return {vec.getKind(), other.getIdx()}; }

/// to = vec with the lanes or quarters that a step combines exchanged.
void swap_lanes(generator_t &g, step_t step, const Xmm &to, const Xmm &vec) {
    const auto shuffle_quarters = [&](int order) {
        g.vshuff32x4(Zmm(to.getIdx()), Zmm(vec.getIdx()), Zmm(vec.getIdx()),
                static_cast<uint8_t>(order));
    };
    switch (step) {
    case step_t::pairs_of_lanes: g.vpermilps(to, vec, swap_pairs); break;
    case step_t::neighbour_lanes: g.vpermilps(to, vec, swap_neighbours); break;
    case step_t::pairs_of_quarters:
        g.has_avx512() ? shuffle_quarters(swap_pairs) : g.vperm2f128(g.ymm(to), g.ymm(vec), vec, 1);
        break;
    case step_t::neighbour_quarters: shuffle_quarters(swap_neighbours); break;
    }
}

/// Emits one = one combined with other.
using combine_t = function_ref_t<void(step_t step, const Xmm &one, const Xmm &other)>;

/// Combines the lanes of two vectors in one step. Results of `first` go to the even lanes of
/// `first` and those of `second` to the odd ones (pairs of lanes), or to the lower and the upper
/// two lanes of each quarter (neighbour lanes).
void combine_two(generator_t &g, step_t step, const Xmm &first, const Xmm &second,
        const combine_t &combine) {
    const vec_t partner = g.vec("one partner");
    const Xmm one = as_wide_as(first, partner);
    if (step == step_t::pairs_of_lanes) {
        g.vunpcklps(one, first, second);
        g.vunpckhps(first, first, second);
    } else {
        assert(step == step_t::neighbour_lanes);
        g.vunpcklpd(one, first, second);
        g.vunpckhpd(first, first, second);
    }
    combine(step, first, one);
}

/// Lane i of the first vector = the result of the steps on vector i.
void reduce_together(generator_t &g, std::span<const Xmm> vecs, std::span<const step_t> steps,
        const combine_t &combine) {
    assert(vecs.size() == 1 || vecs.size() == 2 || vecs.size() == 4);
    size_t left = vecs.size();
    for (const step_t step : steps) {
        if (left > 1) {
            const size_t distance = vecs.size() / left; // between vectors that still hold something
            for (size_t i = 0; i < vecs.size(); i += 2 * distance)
                combine_two(g, step, vecs[i], vecs[i + distance], combine);
            left /= 2;
        } else {
            // Combining two vectors has moved what this step combines to other lanes.
            const bool is_apart = vecs.size() == 2 && step == step_t::neighbour_lanes;
            const vec_t swapped = g.vec("swapped");
            const Xmm partner = as_wide_as(vecs[0], swapped);
            swap_lanes(g, is_apart ? step_t::pairs_of_lanes : step, partner, vecs[0]);
            combine(step, vecs[0], partner);
        }
    }
}

/// Combines all lanes by an instruction of a result and two sources.
template <typename instruction_t>
void reduce_lanes(generator_t &g, const Xmm &vec, instruction_t combine) {
    const vec_t swapped = g.vec("swapped");
    const Xmm all = g.full(vec);
    for (const step_t step : steps(g)) {
        swap_lanes(g, step, swapped, all);
        (g.*combine)(all, all, *swapped);
    }
}

/// The step that combines lanes so far apart.
step_t step_at(const generator_t &g, int distance) {
    switch (distance) {
    case 1: return step_t::neighbour_lanes;
    case 2: return step_t::pairs_of_lanes;
    case 4: return g.has_avx512() ? step_t::neighbour_quarters : step_t::pairs_of_quarters;
    default: return step_t::pairs_of_quarters;
    }
}

template <typename instruction_t>
void reduce_groups(generator_t &g, std::span<const vec_t> vecs, int group, instruction_t combine) {
    if (group == 1) return;
    const int lanes = g.lanes();
    assert(group <= lanes || (group == 2 * lanes && vecs.size() % 2 == 0));
    if (group > lanes)
        for (size_t i = 0; i < vecs.size(); i += 2) {
            (g.*combine)(*vecs[i], *vecs[i], *vecs[i + 1]);
            g.vmovups(*vecs[i + 1], *vecs[i]);
        }
    const vec_t swapped = g.vec("swapped");
    for (const vec_t &vec : vecs)
        for (int distance = 1; distance < std::min(group, lanes); distance *= 2) {
            swap_lanes(g, step_at(g, distance), swapped, vec);
            (g.*combine)(*vec, *vec, *swapped);
        }
}

/// Combines all lanes of each vector.
template <typename instruction_t>
void reduce_lanes(generator_t &g, std::span<const vec_t> vecs, instruction_t combine) {
    const std::vector<Xmm> whole(vecs.begin(), vecs.end());
    reduce_together(g, whole, steps(g),
            [&](step_t, const Xmm &one, const Xmm &other) { (g.*combine)(one, one, other); });
}

} // namespace

void reduce_sum(generator_t &g, const Xmm &vec) { reduce_lanes(g, vec, &generator_t::vaddps); }
void reduce_integer_sum(generator_t &g, const Xmm &vec) {
    reduce_lanes(g, vec, &generator_t::vpaddd);
}
void reduce_product(generator_t &g, const Xmm &vec) { reduce_lanes(g, vec, &generator_t::vmulps); }
void reduce_max(generator_t &g, const Xmm &vec) { reduce_lanes(g, vec, &generator_t::vmaxps); }
void reduce_min(generator_t &g, const Xmm &vec) { reduce_lanes(g, vec, &generator_t::vminps); }

void reduce_sums_of_groups(generator_t &g, std::span<const vec_t> vecs, int group) {
    reduce_groups(g, vecs, group, &generator_t::vaddps);
}
void reduce_maxima_of_groups(generator_t &g, std::span<const vec_t> vecs, int group) {
    reduce_groups(g, vecs, group, &generator_t::vmaxps);
}

void reduce_sums(generator_t &g, std::span<const vec_t> vecs) {
    reduce_lanes(g, vecs, &generator_t::vaddps);
}

/// Four vectors become one, in which each quarter has their sums of that quarter, and four of these
/// become the sums. A vector takes the place of one that there is not.
void gather_sums(generator_t &g, std::span<const Xmm> vecs, bool are_integers) {
    const auto add = [&](const Xmm &one, const Xmm &other) {
        are_integers ? g.vpaddd(one, one, other) : g.vaddps(one, one, other);
    };
    const auto or_else = [&](size_t index, size_t other) {
        return vecs[index < vecs.size() ? index : other];
    };
    const auto combine = [&](step_t, const Xmm &one, const Xmm &other) { add(one, other); };
    for (size_t i = 0; i < vecs.size(); i += 4) {
        combine_two(g, step_t::pairs_of_lanes, vecs[i], or_else(i + 1, i), combine);
        if (i + 2 < vecs.size())
            combine_two(g, step_t::pairs_of_lanes, vecs[i + 2], or_else(i + 3, i + 2), combine);
        combine_two(g, step_t::neighbour_lanes, vecs[i], or_else(i + 2, i), combine);
    }
    const vec_t partner = g.vec("other quarters");
    const auto combine_quarters = [&](const Xmm &first, const Xmm &second, int lower, int upper) {
        const auto gather = [&](const Xmm &to, int order) {
            const auto quarters = static_cast<uint8_t>(order);
            g.has_avx512() ? g.vshuff32x4(g.zmm(to), g.zmm(first), g.zmm(second), quarters)
                           : g.vperm2f128(g.ymm(to), g.ymm(first), g.ymm(second), quarters);
        };
        gather(partner, upper);
        gather(first, lower);
        add(first, partner);
    };
    constexpr int lower_halves = 0x44, upper_halves = 0xee, even_quarters = 0x88,
                  odd_quarters = 0xdd;
    constexpr int lower_quarters = 0x20, upper_quarters = 0x31; // of vectors of two
    if (!g.has_avx512())
        return combine_quarters(vecs[0], or_else(4, 0), lower_quarters, upper_quarters);
    combine_quarters(vecs[0], or_else(4, 0), lower_halves, upper_halves);
    if (vecs.size() > 8) combine_quarters(vecs[8], or_else(12, 8), lower_halves, upper_halves);
    combine_quarters(vecs[0], or_else(8, 0), even_quarters, odd_quarters);
}

void reduce_integer_maxima(generator_t &g, std::span<const vec_t> vecs) {
    reduce_lanes(g, vecs, &generator_t::vpmaxsd);
}

void pick_from_quarters(generator_t &g, std::span<const vec_t> vecs) {
    std::vector<Xmm> quarters;
    for (const vec_t &vec : vecs) quarters.push_back(g.xmm(vec));
    const auto combine = [&](step_t step, const Xmm &one, const Xmm &other) {
        if (step == step_t::pairs_of_lanes)
            g.vmaxps(one, one, other);
        else
            g.vminps(one, one, other);
    };
    reduce_together(g, quarters, steps(g).first(2), combine);
}

lane_broadcasts_t::lane_broadcasts_t(generator_t &g, const Xmm &from, bool are_loads)
    : g_(g)
    , from_(g.xmm(from))
    , are_loads_(are_loads) {
    if (are_loads_) g_.vmovups(g_.xword[g_.rsp - bytes], from_);
}

void lane_broadcasts_t::operator()(const Xmm &to, int lane) const {
    constexpr int lane_bytes = 4, every_lane = 0x55;
    if (are_loads_)
        return g_.vbroadcastss(g_.full(to), g_.dword[g_.rsp - bytes + lane * lane_bytes]);
    if (lane != 0) g_.vpermilps(g_.xmm(to), from_, static_cast<uint8_t>(lane * every_lane));
    g_.vbroadcastss(g_.full(to), lane != 0 ? g_.xmm(to) : from_);
}

} // namespace kiln::x64::jit
