// SPDX-License-Identifier: Apache-2.0
// Integers of B that are converted in registers, in the kernel of matrix products.

#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "common/memory/float_conversion.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/matrix/tile_walk.hpp"

namespace kiln::x64::matrix {

using float_format::f32_mantissa_bits;

/// Sums += the elements of A of a step times integers of B, which are converted one after the
/// other. Where registers hold all vectors of B, an element of A is loaded once for all of them.
void tile_kernel_t::write_conversions(const sums_t &sums, const walk_t &walk, int copy) {
    const int conversions = depth_of(spec_.step) / depth_of(base_of(spec_.step));
    const int rows = spec_.part_rows(), parts = a_parts(spec_.step);
    const auto at = [&](int row, int i) {
        const int lane = a_copies(spec_.step) * i + row % parts;
        return walk.row(row / parts) + copy * a_bytes(spec_.step) + lane * 4;
    };
    const auto sum_of = [&](int row, int v, int i) -> const vec_t & {
        return (odd_sums_ && i % 2 != 0 ? *odd_sums_ : sums).at(row, v);
    };
    const auto load = [&](const vec_t &to, int v) {
        vmovups(to, ptr[b_at(walk, copy, v)]);
        if (spec_.b_shift() != 0) vxorps(to, to, flips());
    };
    const auto multiply_elements = [&](const vec_t &sum, const vec_t &a, const vec_t &b) {
        spec_.a_is_signed ? multiply(sum, b, *a) : multiply(sum, a, *b);
    };
    const vec_t b = vec("B");
    if (free_vecs() >= sums.vectors + rows + has_product(isa(), spec_.step)) {
        vecs_t packed, a;
        for (int v = 0; v < sums.vectors; ++v) load(packed.emplace_back(vec("integers of B")), v);
        for (int row = 0; row < rows; ++row) a.emplace_back(vec("A"));
        for (int i = 0; i < conversions; ++i) {
            for (int row = 0; row < rows; ++row) vbroadcastss(*a[row], dword[at(row, i)]);
            for (int v = 0; v < sums.vectors; ++v) {
                convert_b(b, packed[v], i, v);
                keep_copy(walk, copy, v, i, b);
                for (int row = 0; row < rows; ++row)
                    multiply_elements(sum_of(row, v, i), a[row], b);
            }
        }
        return;
    }
    const vec_t packed = vec("integers of B");
    // A multiplication broadcasts its second operand, the signed one of two bytes.
    const bool has_a_in_memory = has_avx512() && !has_product(isa(), spec_.step)
                                 && (base_of(spec_.step) != step_t::u8s8 || spec_.a_is_signed);
    std::optional<vec_t> a;
    if (!has_a_in_memory) a.emplace(vec("A"));
    for (int v = 0; v < sums.vectors; ++v) {
        load(packed, v);
        for (int i = 0; i < conversions; ++i) {
            convert_b(b, packed, i, v);
            keep_copy(walk, copy, v, i, b);
            for (int row = 0; row < rows; ++row) {
                if (a) vbroadcastss(*a, dword[at(row, i)]);
                a ? multiply_elements(sum_of(row, v, i), *a, b)
                  : multiply(sum_of(row, v, i), b, ptr_b[at(row, i)]);
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
    // One row is in a register, others are broadcast by multiplications, or one after the other.
    const auto row_at = [&](int row) { return walk.row(row) + copy * 4; };
    if (spec_.rows == 1 || !has_avx512()) a.emplace(vec("A"));
    if (spec_.rows == 1) vbroadcastss(*a, dword[row_at(0)]);
    const auto add = [&](int row, std::initializer_list<std::pair<int, const vec_t *>> vectors) {
        if (spec_.rows != 1 && a) vbroadcastss(*a, dword[row_at(row)]);
        for (const auto &[v, b] : vectors)
            a ? multiply(sums.at(row, v), *b, **a)
              : multiply(sums.at(row, v), *b, ptr_b[row_at(row)]);
    };
    for (int v = 0; v < sums.vectors; ++v) {
        const RegExp at = b_at(walk, copy, v);
        if (!is_pair(sums, v)) {
            load_b(even, at, sums.count(*this, v));
            if (b_zeros_) vsubps(even, even, ptr[**frame_ + zeros_at(v, 0)]);
            for (int row = 0; row < spec_.rows; ++row) add(row, {{v, &even}});
            continue;
        }
        vpmovzxbd(*odd, ptr[at]);
        if (spec_.b_shift() != 0) vxorps(*odd, *odd, flips());
        if (table_) {
            look_up(even, *odd, 0);
            look_up(*odd, *odd, 1);
        } else {
            put_above_bits(even, *odd, 0);
            put_above_bits(*odd, *odd, 1);
            subtract_base(even, v, 0, 0);
            subtract_base(*odd, v + 1, 0, 1);
        }
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
            const auto half = static_cast<uint32_t>(lanes() / 2);
            return constant_lanes([&](uint32_t i) {
                return separates ? 2 * i + second : i / 2 + second * half + i % 2 * 2 * half;
            });
        };
        vmovups(*low, order(0));
        vmovups(*high, order(1));
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
}

/// Constants of conversions to floats, as many as registers are free beside what one step takes.
void tile_kernel_t::hold_places() {
    if (base_of(spec_.step) != step_t::f32 || !has_avx512() || table_) return;
    if (!converts_b(spec_.step) && !spec_.has_pairs()) return;
    const int of_step = spec_.has_pairs() ? 3 : 1 + spec_.vectors + spec_.rows;
    const auto hold = [&](vecs_t &list, uint32_t bits) {
        vmovups(*list.emplace_back(vec("constant of a place")), constant_lanes(lanes(), bits));
    };
    const int places = spec_.has_pairs() ? 2 : places_of_b();
    for (int place = 0; place < places && free_vecs() >= of_step + 2; ++place) {
        hold(masks_, mask_of_place(place));
        hold(powers_, power_of_place(place));
    }
    for (int place = 0; !b_zeros_ && place < places && free_vecs() > of_step; ++place)
        hold(bases_, std::bit_cast<uint32_t>(base_of_place(place)));
}

void tile_kernel_t::release_places() {
    masks_.clear();
    powers_.clear();
    bases_.clear();
}

/// How many integers of a lane are converted to floats where they are.
int tile_kernel_t::places_of_b() const { return f32_mantissa_bits / bits_of_b(); }

/// to = the integers of a step's multiplication number `index`. They are converted in order;
/// `lanes` changes.
void tile_kernel_t::convert_b(const Xmm &to, const Xmm &lanes, int index, int vector) {
    if (table_) return look_up(to, lanes, index);
    if (base_of(spec_.step) == step_t::f32) return convert_to_float(to, lanes, index, vector);
    if (spec_.step == step_t::digits4) return vmovaps(to, lanes);
    if (index != 0) vpsrld(lanes, lanes, bits_of_b());
    vandps(to, lanes, constant_bits(spec_.step == step_t::s16x8 ? 0x000f000f : 0x0f0f0f0f));
}

/// to = what the table says of half byte `index` of each lane, or of those at `index` and 4 behind
/// it as bf16.
void tile_kernel_t::look_up(const Xmm &to, const Xmm &lanes, int index) {
    if (index != 0) vpsrld(lanes, lanes, bits_of_b());
    spec_.step == step_t::bf16x8 ? vpermw(to, lanes, *table_)
                                 : vpermps(zmm(to), zmm(lanes), zmm(*table_));
}

/// to = the integer `index` of each lane, which b_shift() made unsigned, less the zero point.
void tile_kernel_t::convert_to_float(const Xmm &to, const Xmm &lanes, int index, int vector) {
    const int place = index % places_of_b();
    if (index != 0 && place == 0) vpsrld(lanes, lanes, bits_of_b() * places_of_b());
    put_above_bits(to, lanes, place);
    subtract_base(to, vector, place, place);
}

/// Subtracts what is above the bits of a place, and the zero point, which is on the stack for the
/// vector and `kept_place`.
void tile_kernel_t::subtract_base(const Xmm &b, int vector, int kept_place, int place) {
    if (b_zeros_)
        vsubps(b, b, ptr[**frame_ + zeros_at(vector, kept_place)]);
    else if (place < std::ssize(bases_))
        vsubps(b, b, *bases_[place]);
    else
        vsubps(b, b, constant(base_of_place(place)));
}

uint32_t tile_kernel_t::mask_of_place(int place) const {
    return ((1u << bits_of_b()) - 1) << place * bits_of_b();
}

/// The bits of 2^(23-p), where p is the first bit of a place.
uint32_t tile_kernel_t::power_of_place(int place) const {
    return static_cast<uint32_t>(float_format::f32_bias + f32_mantissa_bits - place * bits_of_b())
           << f32_mantissa_bits;
}

/// to = the integer in a place of each lane, and 2^(23-p) if its bits are those from bit p on: it
/// is below the bits of that power.
void tile_kernel_t::put_above_bits(const Xmm &to, const Xmm &lanes, int place) {
    if (place < std::ssize(masks_)) {
        constexpr uint8_t and_or = 0xea;
        if (to != lanes) vmovaps(to, lanes);
        vpternlogd(to, *masks_[place], *powers_[place], and_or);
    } else {
        vandps(to, lanes, constant_bits(mask_of_place(place)));
        vorps(to, to, constant_bits(power_of_place(place)));
    }
}

/// What is subtracted from an integer that was converted in a place; 0 where none are.
float tile_kernel_t::base_of_place(int place) const {
    if (!converts_b(spec_.step) && !spec_.has_pairs()) return 0;
    return std::exp2(static_cast<float>(f32_mantissa_bits - place * bits_of_b()))
           + static_cast<float>(spec_.b_shift());
}

/// The values of half bytes of B, as floats, or twice as bf16; empty if they are not looked up.
std::vector<uint32_t> tile_kernel_t::table_of_b() const {
    std::vector<uint32_t> table;
    if (!spec_.has_table()) return table;
    constexpr int codes = 16;
    const bool is_signed = spec_.b_shift() != 0 || spec_.b_type == dnnl_s4;
    const auto bits = [&](int code) {
        const int value = is_signed && code >= codes / 2 ? code - codes : code;
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    };
    for (int i = 0; i < codes; ++i)
        table.push_back(spec_.step != step_t::bf16x8
                                ? bits(i)
                                : bits(2 * i % codes) >> 16 | (bits((2 * i + 1) % codes)));
    return table;
}

} // namespace kiln::x64::matrix
