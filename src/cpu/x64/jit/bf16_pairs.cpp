// SPDX-License-Identifier: Apache-2.0
// Adjacent bf16 elements as two vectors of floats.

#include "cpu/x64/jit/bf16_pairs.hpp"

#include <cassert>

#include "common/integers.hpp"

namespace kiln::x64::jit {

namespace {

constexpr int half_bits = 16;

} // namespace

bool bf16_pairs_t::suits(isa_t isa, dim_t line) {
    const dim_t vectors = divide_up(line, dim_t(lanes_of(isa)));
    return exists(isa) && round_up(vectors, dim_t(2)) * 7 <= vectors * 8;
}

bf16_pairs_t::bf16_pairs_t(generator_t &g, int tail)
    : g_(g)
    , tail_(tail)
    , odd_bits_(g.vec("bits of odd elements")) {
    g.vmovups(odd_bits_, g.constant_lanes(g.lanes(), 0xffff0000u));
    if (g.has(feature_t::avx512_bf16)) {
        const auto lanes = static_cast<uint32_t>(g.lanes());
        const auto pair = [&](uint32_t lane) { return lane | (lanes + lane) << half_bits; };
        g.vmovups(order_.emplace(g.vec("order of pairs")), g.constant_lanes(pair));
    }
    if (tail != 0) tail_mask_.emplace(g.mask("tail of pairs", (1u << tail) - 1));
}

bool bf16_pairs_t::is_full(int count) const {
    const bool full = count == elements_of(g_.isa());
    assert(full || (count == tail_ && count > 0));
    return full;
}

void bf16_pairs_t::load(const Xmm &even, const Xmm &odd, const RegExp &at, int count) const {
    load_packed(odd, at, count);
    split(even, odd);
}

void bf16_pairs_t::repeat(const Xmm &even, const Xmm &odd) const {
    const auto every_other = [&](uint32_t first) {
        const auto lanes = static_cast<uint32_t>(g_.lanes());
        return g_.constant_lanes([&](uint32_t lane) { return (first + 2 * lane) % lanes; });
    };
    const vec_t indices = g_.vec("odd lanes");
    g_.vmovups(indices, every_other(1));
    g_.vmovups(even, every_other(0));
    g_.vpermps(g_.zmm(even), g_.zmm(even), g_.zmm(odd));
    g_.vpermps(g_.zmm(odd), g_.zmm(indices), g_.zmm(odd));
}

void bf16_pairs_t::load_part(
        const Xmm &even, const Xmm &odd, const RegExp &at, const Xbyak::Opmask &part) const {
    g_.vmovdqu16(g_.full(odd) | part | Xbyak::util::T_z, g_.ptr[at]);
    split(even, odd);
}

void bf16_pairs_t::split(const Xmm &even, const Xmm &odd) const {
    g_.vpslld(g_.full(even), g_.full(odd), half_bits);
    g_.vandps(g_.full(odd), g_.full(odd), odd_bits_);
}

void bf16_pairs_t::load_packed(const Xmm &packed, const RegExp &at, int count) const {
    const Xmm to = g_.full(packed);
    if (is_full(count))
        g_.vmovups(to, g_.ptr[at]);
    else
        g_.vmovdqu16(to | *tail_mask_ | Xbyak::util::T_z, g_.ptr[at]);
}

void bf16_pairs_t::store(
        const Xmm &even, const Xmm &odd, const RegExp &at, int count, store_t how) const {
    const vec_t packed = pack(even, odd);
    if (!is_full(count)) {
        g_.vmovdqu16(g_.ptr[at] | *tail_mask_, packed);
    } else if (how == store_t::non_temporal) { // aligned to half a vector
        constexpr int half_bytes = 32;
        g_.store_non_temporal(g_.ptr[at], g_.ymm(packed));
        g_.vextractf64x4(g_.ymm(packed), g_.zmm(packed), 1);
        g_.store_non_temporal(g_.ptr[at + half_bytes], g_.ymm(packed));
    } else {
        g_.vmovups(g_.ptr[at], packed);
    }
}

void bf16_pairs_t::store_part(
        const Xmm &even, const Xmm &odd, const RegExp &at, const Xbyak::Opmask &part) const {
    g_.vmovdqu16(g_.ptr[at] | part, pack(even, odd));
}

vec_t bf16_pairs_t::pack(const Xmm &even, const Xmm &odd) const {
    vec_t packed = g_.vec("packed pairs");
    if (order_) {
        g_.vcvtne2ps2bf16(packed, g_.full(odd), g_.full(even));
        g_.vpermw(packed, *order_, packed);
    } else {
        constexpr uint8_t or_and = 0xf8; // of vpternlogd: a | (b & c)
        const vec_t upper_halves = g_.vec("rounded odd elements");
        round_upper_halves(g_, packed, g_.full(even));
        g_.vpsrld(packed, packed, half_bits);
        round_upper_halves(g_, upper_halves, g_.full(odd));
        g_.vpternlogd(packed, upper_halves, odd_bits_, or_and);
    }
    return packed;
}

} // namespace kiln::x64::jit
