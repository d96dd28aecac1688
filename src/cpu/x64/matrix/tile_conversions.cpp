// SPDX-License-Identifier: Apache-2.0
// Integers of B that are converted in registers, in the kernel of matrix products.

#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "common/one_of.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {

using jit::vec_t;
using Xbyak::RegExp;
using Xbyak::Xmm;

/// Sums += the elements of A of a step times integers of B, which are converted one after the
/// other.
void tile_kernel_t::write_conversions(const sums_t &sums, const walk_t &walk, int copy) {
    const vec_t packed = vec("integers of B"), b = vec("B");
    // A multiplication broadcasts its second operand, the signed one of two bytes.
    const bool has_a_in_memory = has_avx512() && !has_product(isa(), spec_.step)
                                 && (base_of(spec_.step) != step_t::u8s8 || spec_.a_is_signed);
    std::optional<vec_t> a;
    if (!has_a_in_memory) a.emplace(vec("A"));
    const int conversions = depth_of(spec_.step) / depth_of(base_of(spec_.step));
    for (int v = 0; v < sums.vectors; ++v) {
        vmovups(packed, ptr[b_at(walk, copy, v)]);
        if (spec_.b_shift() != 0) vxorps(packed, packed, flips());
        for (int i = 0; i < conversions; ++i) {
            convert_b(b, packed, i, v);
            for (int row = 0; row < spec_.rows; ++row) {
                const RegExp at = walk.row(row) + copy * a_bytes(spec_.step) + i * 4;
                if (a) {
                    vbroadcastss(*a, dword[at]);
                    multiply(sums.at(row, v), *a, b);
                } else {
                    multiply(sums.at(row, v), b, ptr_b[at]);
                }
            }
        }
    }
}

/// Sums += a column of A times a row of half bytes of B. The sums of a pair of vectors are those of
/// even and of odd columns.
void tile_kernel_t::write_pairs(const sums_t &sums, const walk_t &walk, int copy) {
    const vec_t even = vec("even columns of B");
    std::optional<vec_t> odd, a;
    if (is_pair(sums, 0)) odd.emplace(vec("odd columns of B"));
    if (!has_avx512()) a.emplace(vec("A"));
    const auto add = [&](int row, std::initializer_list<std::pair<int, const vec_t *>> vectors) {
        const RegExp at = walk.row(row) + copy * 4;
        if (a) vbroadcastss(*a, dword[at]);
        for (const auto &[v, b] : vectors)
            a ? multiply(sums.at(row, v), *b, **a) : multiply(sums.at(row, v), *b, ptr_b[at]);
    };
    const auto subtract_base = [&](const vec_t &b, int v, int place) {
        if (b_zeros_)
            vsubps(b, b, ptr[rsp + zeros_at(v, 0)]);
        else
            vsubps(b, b, constant(base_of_place(place)));
    };
    for (int v = 0; v < sums.vectors; ++v) {
        const RegExp at = b_at(walk, copy, v);
        if (!is_pair(sums, v)) {
            load_b(even, at, sums.count(*this, v));
            if (b_zeros_) vsubps(even, even, ptr[rsp + zeros_at(v, 0)]);
            for (int row = 0; row < spec_.rows; ++row) add(row, {{v, &even}});
            continue;
        }
        vpmovzxbd(*odd, ptr[at]);
        if (spec_.b_shift() != 0) vxorps(*odd, *odd, flips());
        put_above_bits(even, *odd, 0);
        put_above_bits(*odd, *odd, 1);
        subtract_base(even, v, 0);
        subtract_base(*odd, v + 1, 1);
        for (int row = 0; row < spec_.rows; ++row) add(row, {{v, &even}, {v + 1, &*odd}});
        ++v;
    }
    this->add(*walk.b, **walk.b_pitch);
    if (walk.ahead) this->add(**walk.ahead, **walk.b_pitch);
}

/// Two vectors of even and odd columns become those of columns in order.
void tile_kernel_t::interleave(const Xmm &even, const Xmm &odd) { exchange(even, odd, false); }
/// The other way round.
void tile_kernel_t::separate(const Xmm &first, const Xmm &second) { exchange(first, second, true); }

void tile_kernel_t::exchange(const Xmm &one, const Xmm &other, bool separates) {
    const vec_t low = vec("first vector"), high = vec("second vector");
    if (has_avx512()) {
        const auto order = [&](uint32_t second) {
            std::vector<uint32_t> lanes_of_both;
            const auto half = static_cast<uint32_t>(lanes() / 2);
            for (uint32_t i = 0; i < 2 * half; ++i)
                lanes_of_both.push_back(
                        separates ? 2 * i + second : i / 2 + second * half + i % 2 * 2 * half);
            return lanes_of_both;
        };
        vmovups(*low, constant_lanes(order(0)));
        vmovups(*high, constant_lanes(order(1)));
        vpermi2ps(*low, one, other);
        vpermi2ps(*high, one, other);
        vmovaps(one, *low);
        vmovaps(other, *high);
    } else if (separates) {
        constexpr uint8_t lower_halves = 0x20, upper_halves = 0x31, evens = 0x88, odds = 0xdd;
        vperm2f128(ymm(*low), ymm(one), ymm(other), lower_halves);
        vperm2f128(ymm(*high), ymm(one), ymm(other), upper_halves);
        vshufps(one, *low, *high, evens);
        vshufps(other, *low, *high, odds);
    } else {
        constexpr uint8_t lower_halves = 0x20, upper_halves = 0x31;
        vunpcklps(*low, one, other);
        vunpckhps(*high, one, other);
        vperm2f128(ymm(one), ymm(*low), ymm(*high), lower_halves);
        vperm2f128(ymm(other), ymm(*low), ymm(*high), upper_halves);
    }
}

/// The bits that differ in integers of B to which b_shift() is added.
jit::constant_t tile_kernel_t::flips() {
    return constant_bits(bits_of_b() == 4 ? 0x88888888 : 0x80808080);
}

/// Constants of conversions that registers hold.
void tile_kernel_t::prepare_conversions() {
    if (const std::vector<uint32_t> table = table_of_b(); !table.empty())
        vmovups(*table_.emplace(vec("table")), constant_lanes(table));
    if (base_of(spec_.step) != step_t::f32 || !has_avx512()) return;
    if (!converts_b(spec_.step) && !spec_.has_pairs()) return;
    constexpr int of_epilogue = 8, of_pair = 5;
    const int sums = spec_.rows * spec_.vectors + (spec_.has_pairs() ? of_pair - of_epilogue : 0);
    for (int place = 0;
            place < (spec_.has_pairs() ? 2 : places_of_b()) && sums + of_epilogue < free_vecs();
            ++place)
        vmovups(*masks_.emplace_back(vec("mask")),
                constant_lanes(std::vector<uint32_t>(static_cast<size_t>(lanes()),
                        ((1u << bits_of_b()) - 1) << place * bits_of_b())));
}

/// How many integers of a lane are converted to floats where they are.
int tile_kernel_t::places_of_b() const {
    constexpr int mantissa_bits = 23;
    return mantissa_bits / bits_of_b();
}

/// to = the integers of a step's multiplication number `index`. They are converted in order;
/// `lanes` changes.
void tile_kernel_t::convert_b(const Xmm &to, const Xmm &lanes, int index, int vector) {
    if (base_of(spec_.step) == step_t::f32) return convert_to_float(to, lanes, index, vector);
    if (index != 0) vpsrld(lanes, lanes, bits_of_b());
    if (spec_.step == step_t::bf16x8) return vpermw(to, lanes, *table_);
    vandps(to, lanes, constant_bits(spec_.step == step_t::s16x8 ? 0x000f000f : 0x0f0f0f0f));
}

/// to = the integer `index` of each lane, which b_shift() made unsigned, less the zero point.
void tile_kernel_t::convert_to_float(const Xmm &to, const Xmm &lanes, int index, int vector) {
    const int place = index % places_of_b();
    if (index != 0 && place == 0) vpsrld(lanes, lanes, bits_of_b() * places_of_b());
    put_above_bits(to, lanes, place);
    if (b_zeros_)
        vsubps(to, to, ptr[rsp + zeros_at(vector, place)]);
    else
        vsubps(to, to, constant(base_of_place(place)));
}

/// to = the integer in a place of each lane, and 2^(23-p) if its bits are those from bit p on: it
/// is below the bits of that power.
void tile_kernel_t::put_above_bits(const Xmm &to, const Xmm &lanes, int place) {
    constexpr int mantissa_bits = 23, bias = 127;
    const int bits = bits_of_b();
    const auto base_bits = static_cast<uint32_t>(bias + mantissa_bits - place * bits)
                           << mantissa_bits;
    if (static_cast<size_t>(place) < masks_.size()) {
        constexpr uint8_t and_or = 0xea;
        if (to != lanes) vmovaps(to, lanes);
        vpternlogd(to, *masks_[static_cast<size_t>(place)], constant_bits(base_bits), and_or);
    } else {
        vandps(to, lanes, constant_bits(((1u << bits) - 1) << place * bits));
        vorps(to, to, constant_bits(base_bits));
    }
}

/// What is subtracted from an integer that was converted in a place; 0 where none are.
float tile_kernel_t::base_of_place(int place) const {
    constexpr int mantissa_bits = 23;
    if (!converts_b(spec_.step) && !spec_.has_pairs()) return 0;
    return std::exp2(static_cast<float>(mantissa_bits - place * bits_of_b()))
           + static_cast<float>(spec_.b_shift());
}

/// The values of half bytes of B twice as bf16; empty if no step looks them up.
std::vector<uint32_t> tile_kernel_t::table_of_b() const {
    std::vector<uint32_t> table;
    if (spec_.step != step_t::bf16x8) return table;
    constexpr int codes = 16;
    const bool is_signed = spec_.b_shift() != 0 || spec_.b_type == dnnl_s4;
    const auto bits = [&](int code) {
        const int value = is_signed && code >= codes / 2 ? code - codes : code;
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    };
    for (int i = 0; i < codes; ++i)
        table.push_back(bits(2 * i % codes) >> 16 | (bits((2 * i + 1) % codes)));
    return table;
}

} // namespace kiln::x64::matrix
