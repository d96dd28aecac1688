// SPDX-License-Identifier: Apache-2.0
// Folds vectors into one value each. Quarters are the 128-bit parts of a vector: first lanes meet
// inside their quarter, then quarters meet.

#include "cpu/x64/jit/reduce.hpp"

#include <cassert>
#include <functional>
#include <vector>

namespace kiln::x64::jit {

using Xbyak::Xmm;
using Xbyak::Ymm;
using Xbyak::Zmm;

namespace {

constexpr int swap_pairs = 0x4e;
constexpr int swap_neighbours = 0xb1;

/// The steps of a reduction: who meets whom.
enum class step_t { pairs_of_lanes, neighbour_lanes, pairs_of_quarters, neighbour_quarters };

std::span<const step_t> steps(const generator_t &g) {
    // Two quarters are neighbours and a pair at once.
    static constexpr step_t all[] = {step_t::pairs_of_lanes, step_t::neighbour_lanes,
            step_t::pairs_of_quarters, step_t::neighbour_quarters};
    return std::span(all).first(g.has_avx512() ? 4 : 3);
}

Xmm as_wide_as(const Xmm &vec, const Xmm &other) { return {vec.getKind(), other.getIdx()}; }

/// to = vec with partners in each other's place.
void swap(generator_t &g, step_t step, const Xmm &to, const Xmm &vec) {
    Xbyak::CodeGenerator &a = g.assembler();
    const auto shuffle_quarters = [&](int order) {
        a.vshuff32x4(Zmm(to.getIdx()), Zmm(vec.getIdx()), Zmm(vec.getIdx()),
                static_cast<uint8_t>(order));
    };
    switch (step) {
    case step_t::pairs_of_lanes: a.vpermilps(to, vec, swap_pairs); break;
    case step_t::neighbour_lanes: a.vpermilps(to, vec, swap_neighbours); break;
    case step_t::pairs_of_quarters:
        g.has_avx512() ? shuffle_quarters(swap_pairs) : a.vperm2f128(g.ymm(to), g.ymm(vec), vec, 1);
        break;
    case step_t::neighbour_quarters: shuffle_quarters(swap_neighbours); break;
    }
}

/// What becomes of two that meet: the first operand is the result.
using meet_t = std::function<void(step_t step, const Xmm &one, const Xmm &other)>;

/// first = what the partners of `first` make in the even places, those of `second` in the odd ones
/// (pairs of lanes), or the first two of each quarter from `first`, the others from `second`
/// (neighbours).
void meet_partners(
        generator_t &g, step_t step, const Xmm &first, const Xmm &second, const meet_t &meet) {
    Xbyak::CodeGenerator &a = g.assembler();
    const vec_t partner = g.vec("one partner");
    const Xmm one = as_wide_as(first, partner);
    if (step == step_t::pairs_of_lanes) {
        a.vunpcklps(one, first, second);
        a.vunpckhps(first, first, second);
    } else {
        assert(step == step_t::neighbour_lanes);
        a.vunpcklpd(one, first, second);
        a.vunpckhpd(first, first, second);
    }
    meet(step, first, one);
}

/// Lane i of the first = what the steps make of vector i.
void fold_together(generator_t &g, std::span<const Xmm> vecs, std::span<const step_t> steps,
        const meet_t &meet) {
    assert(vecs.size() == 1 || vecs.size() == 2 || vecs.size() == 4);
    size_t left = vecs.size();
    for (const step_t step : steps) {
        if (left > 1) {
            const size_t distance = vecs.size() / left; // between vectors that still hold something
            for (size_t i = 0; i < vecs.size(); i += 2 * distance)
                meet_partners(g, step, vecs[i], vecs[i + distance], meet);
            left /= 2;
        } else {
            // Two vectors have met in pairs already, and what were neighbours are pairs now.
            const bool is_apart = vecs.size() == 2 && step == step_t::neighbour_lanes;
            const vec_t swapped = g.vec("swapped");
            const Xmm partner = as_wide_as(vecs[0], swapped);
            swap(g, is_apart ? step_t::pairs_of_lanes : step, partner, vecs[0]);
            meet(step, vecs[0], partner);
        }
    }
}

/// All lanes meet; `meet(one, other)` leaves the result in the first.
template <typename meet_two_t>
void fold_lanes(generator_t &g, const Xmm &vec, const meet_two_t &meet) {
    const vec_t swapped = g.vec("swapped");
    const Xmm all = g.full(vec);
    for (const step_t step : steps(g)) {
        swap(g, step, swapped, all);
        meet(all, *swapped);
    }
}

} // namespace

void reduce_sum(generator_t &g, const Xmm &vec) {
    fold_lanes(g, vec,
            [&](const Xmm &one, const Xmm &other) { g.assembler().vaddps(one, one, other); });
}

void reduce_max(generator_t &g, const Xmm &vec) {
    fold_lanes(g, vec,
            [&](const Xmm &one, const Xmm &other) { g.assembler().vmaxps(one, one, other); });
}

void reduce_min(generator_t &g, const Xmm &vec) {
    fold_lanes(g, vec,
            [&](const Xmm &one, const Xmm &other) { g.assembler().vminps(one, one, other); });
}

void reduce_sums(generator_t &g, std::span<const vec_t> vecs) {
    std::vector<Xmm> whole;
    for (const vec_t &vec : vecs) whole.push_back(*vec);
    fold_together(g, whole, steps(g), [&](step_t, const Xmm &one, const Xmm &other) {
        g.assembler().vaddps(one, one, other);
    });
}

void reduce_integer_maxima(generator_t &g, std::span<const vec_t> vecs) {
    std::vector<Xmm> whole;
    for (const vec_t &vec : vecs) whole.push_back(*vec);
    fold_together(g, whole, steps(g), [&](step_t, const Xmm &one, const Xmm &other) {
        g.assembler().vpmaxsd(one, one, other);
    });
}

void pick_from_quarters(generator_t &g, std::span<const vec_t> vecs) {
    std::vector<Xmm> quarters;
    for (const vec_t &vec : vecs) quarters.push_back(g.xmm(vec));
    const auto meet = [&](step_t step, const Xmm &one, const Xmm &other) {
        if (step == step_t::pairs_of_lanes)
            g.assembler().vmaxps(one, one, other);
        else
            g.assembler().vminps(one, one, other);
    };
    fold_together(g, quarters, steps(g).first(2), meet);
}

void broadcast_lane(generator_t &g, const Xmm &to, const Xmm &from, int lane) {
    Xbyak::CodeGenerator &a = g.assembler();
    if (lane != 0) a.vpermilps(g.xmm(to), g.xmm(from), static_cast<uint8_t>(lane * 0x55));
    a.vbroadcastss(g.full(to), g.xmm(lane != 0 ? to : from));
}

} // namespace kiln::x64::jit
