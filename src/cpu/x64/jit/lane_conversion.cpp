// SPDX-License-Identifier: Apache-2.0
// Conversion of whole vectors of floats to elements of other data types and back, with masks
// (AVX-512) or without (AVX2).

#include "cpu/x64/jit/lane_conversion.hpp"

#include <bit>
#include <cassert>

#include "common/memory/float_conversion.hpp"
#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

constexpr int nearest_even = 0;     // rounding of vcvtps2ph
constexpr int is_equal = 0;         // predicate of vcmpps
constexpr int is_number = 7;        // predicate "ordered" of vcmpps
constexpr int even_quarters = 0x08; // vpermq: quarters 0 and 2 to the low half

/// The upper halves are gathered by a permutation where a register is free for its indices, else by
/// a shift and a narrowing, which take three operations instead of one.
void to_bf16_by_integers(generator_t &g, const Xmm &to, const Xmm &vec) {
    round_upper_halves(g, to, vec);
    if (g.free_vecs() != 0) {
        const vec_t order = g.vec("places of upper halves");
        const auto pair = [](uint32_t lane) { return (4 * lane + 1) | (4 * lane + 3) << 16; };
        g.vmovups(order, g.constant_lanes(pair));
        g.vpermw(to, order, to);
    } else {
        g.vpsrld(to, to, 16);
        g.vpmovdw(g.ymm(to), to);
    }
}

/// The same without masks: nothing is added to NaN, then its quiet bit is set.
void to_bf16_avx2(generator_t &g, const Xmm &to, const Xmm &vec) {
    const vec_t number = g.vec("number");
    g.vcmpps(number, vec, vec, is_number);
    g.vpsrld(to, vec, 16);
    g.vpand(to, to, g.constant_bits(1));
    g.vpaddd(to, to, g.constant_bits(0x7fff));
    g.vpand(to, to, number);
    g.vpaddd(to, to, vec);
    g.vpandn(number, number, g.constant_bits(float_format::f32_quiet_bit));
    g.vpor(to, to, number);
    g.vpsrld(to, to, 16);
    g.vpackusdw(to, to, to);
    g.vpermq(g.ymm(to), g.ymm(to), even_quarters);
}

/// By the conversion instruction; if a value is subnormal and is to be kept, by integers.
void to_bf16_native(generator_t &g, const Xmm &to, const Xmm &vec, subnormals_t subnormals) {
    g.vcvtneps2bf16(g.ymm(to), vec);
    if (subnormals == subnormals_t::flushed) return;
    constexpr int is_subnormal = 0x20; // class of vfpclassps
    Xbyak::Label end;
    {
        const mask_t picked = g.mask("picked");
        g.vfpclassps(picked, Xbyak::Zmm(vec.getIdx()), is_subnormal);
        g.kortestw(picked, picked);
    }
    g.jz(end, Xbyak::CodeGenerator::T_NEAR);
    to_bf16_by_integers(g, to, vec);
    g.L(end);
}

void to_bf16(generator_t &g, const Xmm &to, const Xmm &vec, subnormals_t subnormals) {
    if (g.has(feature_t::avx512_bf16))
        to_bf16_native(g, to, vec, subnormals);
    else if (g.has_avx512())
        to_bf16_by_integers(g, to, vec);
    else
        to_bf16_avx2(g, to, vec);
}

void to_f16(generator_t &g, const Xmm &to, const Xmm &vec) {
    g.vcvtps2ph(g.lower_half(to), vec, nearest_even);
}

/// The integers of each lane as s8.
void saturate_to_s8(generator_t &g, const Xmm &vec) {
    if (g.has_avx512()) return g.vpmovsdb(g.xmm(vec), vec);
    g.vpackssdw(vec, vec, vec);
    g.vpermq(g.ymm(vec), g.ymm(vec), even_quarters);
    g.vpacksswb(vec, vec, vec);
}

/// Only the upper limit is clamped: floats below the range convert to the lowest integer.
void to_s8(generator_t &g, const Xmm &to, const Xmm &vec) {
    if (g.has_avx512()) {
        const mask_t number = g.mask("number");
        g.vcmpps(number, vec, vec, is_number);
        g.vminps(to, vec, g.constant(127));
        g.vcvtps2dq(to | number | Xbyak::util::T_z, to);
    } else {
        g.vcmpps(to, vec, vec, is_number);
        g.vandps(to, to, vec);
        g.vminps(to, to, g.constant(127));
        g.vcvtps2dq(to, to);
    }
    saturate_to_s8(g, to);
}

/// Beyond the range of s32 the conversion gives 2^31 as an unsigned integer.
void to_u8(generator_t &g, const Xmm &to, const Xmm &vec) {
    g.vmaxps(to, vec, g.constant(0)); // for NaN the result is the second operand, 0
    if (g.has_avx512()) {
        g.vcvtps2dq(to, to);
        g.vpmovusdb(g.xmm(to), to);
    } else {
        g.vminps(to, to, g.constant(255));
        g.vcvtps2dq(to, to);
        g.vpackusdw(to, to, to);
        g.vpermq(g.ymm(to), g.ymm(to), even_quarters);
        g.vpackuswb(to, to, to);
    }
}

/// What rounding to a type of f8 follows from: the bits of its fraction, the exponents of its least
/// and of its greatest normal numbers.
struct f8_format_t {
    uint32_t fraction_bits;
    int least_exponent, greatest_exponent;
};

f8_format_t f8_format(data_type_t type) {
    return type == dnnl_f8_e5m2 ? f8_format_t{2, -14, 15} : f8_format_t{3, -6, 8};
}

uint32_t bits_of_power(int exponent) {
    return std::bit_cast<uint32_t>(float_format::power_of_two(exponent));
}

/// to = vec in the precision of f8, in a range that has one greater exponent. The sum with 1.5 *
/// 2^n is rounded to a multiple of 2^(n - 23), the unit in the last place of vec as f8, which
/// follows from the exponent of vec. Results that are 0 have lost their sign.
void round_to_f8(generator_t &g, const Xmm &to, data_type_t type, const Xmm &vec) {
    const f8_format_t format = f8_format(type);
    const uint32_t dropped_bits = float_format::f32_mantissa_bits - format.fraction_bits;
    constexpr uint32_t half = 1u << (float_format::f32_mantissa_bits - 1);
    const vec_t addend = g.vec("addend that rounds");
    g.vandps(addend, vec, g.constant_bits(float_format::f32_infinity));
    g.vpmaxud(addend, addend, g.constant_bits(bits_of_power(format.least_exponent)));
    g.vpminud(addend, addend, g.constant_bits(bits_of_power(format.greatest_exponent + 1)));
    g.vpaddd(addend, addend, g.constant_bits((dropped_bits * 2 + 1) * half));
    g.vaddps(to, vec, addend);
    g.vsubps(to, to, addend);
}

/// f8_e5m2 is the upper byte of f16. f8_e4m3 has its magnitude there if the fraction of f16, whose
/// value is divided by 2^8, moves up by a bit; what is 480 or greater, and NaN, is NaN.
void to_f8(generator_t &g, const Xmm &to, data_type_t type, const Xmm &vec) {
    constexpr uint32_t sign = 0x80000000, bits_of_480 = 0x43f00000, sign_of_words = 0x80008000;
    const Xmm words = g.lower_half(to);
    round_to_f8(g, to, type, vec);
    const vec_t sign_of_vec = g.vec("sign");
    if (type == dnnl_f8_e4m3) {
        g.vandps(to, to, g.constant_bits(~sign));
        g.vpminud(to, to, g.constant_bits(bits_of_480));
        g.vmulps(to, to, g.constant(0x1p-8f));
    }
    g.vandps(sign_of_vec, vec, g.constant_bits(sign));
    g.vorps(to, to, sign_of_vec);
    to_f16(g, to, to);
    if (type == dnnl_f8_e4m3) {
        const Xmm sign_of_word = g.lower_half(sign_of_vec);
        g.vandps(sign_of_word, words, g.constant_bits(sign_of_words));
        g.vpsllw(words, words, 1);
        g.vorps(words, words, sign_of_word);
    }
    g.vpsrlw(words, words, 8);
    if (g.has_avx512())
        g.vpmovwb(g.xmm(to), words);
    else
        g.vpackuswb(words, words, words);
}

constexpr int quarter_bytes = 16;

void extract_quarter(generator_t &g, const Xmm &to, const Xmm &vec, int index) {
    if (index == 0)
        g.vmovaps(g.xmm(to), g.xmm(vec));
    else if (g.has_avx512())
        g.vextractf32x4(g.xmm(to), Xbyak::Zmm(vec.getIdx()), static_cast<uint8_t>(index));
    else
        g.vextractf128(g.xmm(to), g.ymm(vec), static_cast<uint8_t>(index));
}

/// NaN becomes 0. Above the range vcvtps2dq gives the lowest integer; these lanes become the
/// greatest one.
void to_s32(generator_t &g, const Xmm &to, const Xmm &vec) {
    constexpr float beyond = 0x1p31f;
    constexpr uint32_t greatest = 0x7fffffffu;
    if (g.has_avx512()) {
        const mask_t number = g.mask("number");
        g.vcmpps(number, vec, vec, is_number);
        g.vcvtps2dq(to | number | Xbyak::util::T_z, vec);
    } else {
        g.vcmpps(to, vec, vec, is_number);
        g.vandps(to, to, vec);
        g.vcvtps2dq(to, to);
    }
    const lane_condition_t is_above(g, vec, comparison_t::ge, g.constant(beyond));
    is_above.select(to, g.constant_bits(greatest));
}

} // namespace

/// Adding 0x7fff, or 0x8000 if the upper half is odd, makes truncation round to nearest even. In a
/// NaN the addition could carry into the exponent, so NaN gets its quiet bit instead.
void round_upper_halves(generator_t &g, const Xmm &to, const Xmm &vec) {
    constexpr uint32_t quiet_nans = 0x22; // vfixupimmps: quiet and signalling NaN to quiet NaN
    const mask_t is_odd = g.mask("upper half is odd");
    g.vptestmd(is_odd, vec, g.constant_bits(0x10000));
    g.vpaddd(to, vec, g.constant_bits(0x7fff));
    g.vpaddd(to | is_odd, vec, g.constant_bits(0x8000));
    g.vfixupimmps(to, vec, g.constant_bits(quiet_nans), 0);
}

void pack(
        generator_t &g, const Xmm &to, data_type_t type, const Xmm &vec, subnormals_t subnormals) {
    switch (type) {
    case dnnl_bf16: to_bf16(g, to, vec, subnormals); break;
    case dnnl_f16: to_f16(g, to, vec); break;
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3: to_f8(g, to, type, vec); break;
    case dnnl_s32: to_s32(g, to, vec); break;
    case dnnl_s8: to_s8(g, to, vec); break;
    case dnnl_u8: to_u8(g, to, vec); break;
    default: assert(!"a type that vectors are stored as");
    }
}

void pack_bounded(generator_t &g, const Xmm &to, const Xmm &vec) {
    g.vcvtps2dq(to, vec);
    saturate_to_s8(g, to);
}

namespace {

/// f8_e5m2 is the upper byte of f16. f8_e4m3 has its fraction in f16's place if it is moved by 7
/// bits; then f16's exponent means 2^-8 of the value, and all bits but the sign's are set in NaN.
void expand_f8(generator_t &g, const Xmm &to, data_type_t type, const Xbyak::Operand &from) {
    const Xmm vec = g.full(to), words = g.lower_half(vec);
    const Xmm masked = to.getOpmaskIdx() == 0
                               ? words
                               : words | Xbyak::Opmask(to.getOpmaskIdx()) | Xbyak::util::T_z;
    if (type == dnnl_f8_e5m2) {
        g.vpmovzxbw(masked, from);
        g.vpsllw(words, words, 8);
        return g.vcvtph2ps(vec, words);
    }
    constexpr uint32_t without_bit_14 = 0xbfffbfff, of_fraction = 0x7fc00000;
    if (!g.has_avx512()) {
        constexpr uint32_t magnitude = 0x7fffffff;
        g.vpmovsxbw(words, from);
        g.vpsllw(words, words, 7);
        g.vpand(words, words, g.constant_bits(without_bit_14));
        g.vcvtph2ps(vec, words);
        g.vmulps(vec, vec, g.constant(256));
        const vec_t nan = g.vec("NaN");
        g.vandps(nan, vec, g.constant_bits(magnitude));
        g.vcmpps(nan, nan, g.constant(480), is_equal);
        g.vandps(nan, nan, g.constant_bits(of_fraction));
        return g.vorps(vec, vec, nan);
    }
    const auto both_words = [&](uint32_t word) { return g.constant_lanes(g.lanes(), word); };
    const mask_t nan = g.mask("NaN");
    g.vpmovsxbw(masked, from);
    g.vpaddw(words, words, both_words(0x00010001));
    g.vptestnmw(nan, words, both_words(0x007f007f));
    g.vpaddw(words, words, both_words(0xffffffff));
    g.vpsllw(words, words, 7);
    g.vpandd(words, words, g.constant_bits(without_bit_14));
    g.vcvtph2ps(vec, words);
    g.vmulps(vec, vec, g.constant(256));
    g.vpord(vec | nan, vec, g.constant_bits(of_fraction));
}

/// e8m0 is the exponent of a float. 0 is 2^-127, a subnormal float; all bits are NaN, as infinity
/// times 0 is.
void expand_e8m0(generator_t &g, const Xmm &to, const Xbyak::Operand &from) {
    constexpr uint32_t lowest = 0x00400000;
    const Xmm vec = g.full(to);
    g.vpmovzxbd(to, from);
    g.vpslld(vec, vec, float_format::f32_mantissa_bits);
    g.vpmaxud(vec, vec, g.constant_bits(lowest));
    g.vfmadd132ps(vec, vec, g.constant(0));
}

} // namespace

void expand(generator_t &g, const Xmm &to, data_type_t type, const Xbyak::Operand &from) {
    const Xmm vec = g.full(to);
    switch (type) {
    case dnnl_bf16:
        g.vpmovzxwd(to, from);
        g.vpslld(vec, vec, 16);
        break;
    case dnnl_f16: g.vcvtph2ps(to, from); break;
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3: expand_f8(g, to, type, from); break;
    case dnnl_e8m0: expand_e8m0(g, to, from); break;
    case dnnl_s32: g.vcvtdq2ps(to, from); break;
    case dnnl_s8:
        g.vpmovsxbd(to, from);
        g.vcvtdq2ps(vec, vec);
        break;
    case dnnl_u8:
        g.vpmovzxbd(to, from);
        g.vcvtdq2ps(vec, vec);
        break;
    default: assert(!"a type that vectors are loaded from");
    }
}

/// From 2^24 on, the low seven bits, which f32 does not hold for greater numbers, become one bit
/// above them that is set if any is.
void to_odd_floats(generator_t &g, const Xmm &vec) {
    constexpr uint32_t low_bits = 0x7f;
    constexpr float exact = 0x1p24f;
    const Xmm x = g.full(vec);
    const vec_t odd = g.vec("odd"), size = g.vec("size");
    g.vandps(odd, x, g.constant_bits(low_bits));
    g.vpaddd(odd, odd, g.constant_bits(low_bits));
    g.vorps(odd, odd, x);
    g.vandps(odd, odd, g.constant_bits(~low_bits));
    g.vcvtdq2ps(odd, odd);
    g.vcvtdq2ps(x, x);
    g.vandps(size, x, g.constant_bits(0x7fffffffu));
    const lane_condition_t is_rounded(g, size, comparison_t::ge, g.constant(exact));
    is_rounded.select(x, odd);
}

void expand_packed(generator_t &g, const Xmm &vec, data_type_t type, const Xmm &packed) {
    assert(type == dnnl_bf16 || type == dnnl_f16);
    expand(g, g.full(vec), type, g.lower_half(packed));
}

void round_to(generator_t &g, const Xmm &vec, data_type_t type) {
    if (type == dnnl_f32) return;
    const vec_t packed = g.vec("packed");
    pack(g, packed, type, g.full(vec));
    expand_packed(g, vec, type, packed);
}

void widen_bits(generator_t &g, const Xmm &vec, int size, const Xbyak::Operand &from) {
    assert(size == 1 || size == 2);
    if (size == 1)
        g.vpmovzxbd(vec, from);
    else
        g.vpmovzxwd(vec, from);
}

void pack_bits(generator_t &g, const Xmm &packed, int size, const Xmm &vec) {
    assert(size == 1 || size == 2);
    if (g.has_avx512()) {
        size == 1 ? g.vpmovdb(g.xmm(packed), vec) : g.vpmovdw(g.ymm(packed), vec);
        return;
    }
    g.vpackusdw(packed, vec, vec);
    g.vpermq(g.ymm(packed), g.ymm(packed), even_quarters);
    if (size == 1) g.vpackuswb(packed, packed, packed);
}

void clamp_bytes(generator_t &g, const Xmm &vec, data_type_t to) {
    constexpr uint32_t greatest = 0x7f7f7f7f;
    if (to == dnnl_s8)
        g.vpminub(vec, vec, g.constant_lanes(g.lanes(), greatest));
    else
        g.vpmaxsb(vec, vec, g.constant_lanes(g.lanes(), 0));
}

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
