// SPDX-License-Identifier: Apache-2.0

#include "cpu/reference/normalization/row_conversion.hpp"

#include <cassert>

#include <emmintrin.h>

#include "common/memory/data_type.hpp"
#include "cpu/reference/normalization/vectorized_loop.hpp"

namespace kiln::cpu::reference::rows {
namespace {

template <typename T> void load_each(const void *from, dim_t first, float *to, dim_t count) {
    KILN_ITERATIONS_ARE_INDEPENDENT
    for (dim_t c = 0; c < count; ++c) to[c] = static_cast<float>(load_element<T>(from, first + c));
}

template <typename T> void store_each(const float *from, void *to, dim_t first, dim_t count) {
    KILN_ITERATIONS_ARE_INDEPENDENT
    for (dim_t c = 0; c < count; ++c) store_element(static_cast<T>(from[c]), to, first + c);
}

__m128i all_lanes(std::uint32_t value) { return _mm_set1_epi32(static_cast<int>(value)); }

/// Fields of f32 and f16.
constexpr std::uint32_t sign_bit = 0x80000000, f32_exponent = 0x7f800000;
constexpr int mantissa_bits = 23, dropped_bits = 13, bias_difference = 127 - 15;
constexpr std::uint32_t unit_of_exponent = 1u << mantissa_bits;
constexpr dim_t lanes_of_f16 = 8;

/// Whether an exponent is 0 or 31: of zero, of subnormal values, of infinity and NaN.
bool has_special_exponent(__m128i halves) {
    // One more, without the carry, is below 2.
    const __m128i next = _mm_add_epi16(halves, _mm_set1_epi16(0x0400));
    const __m128i upper_bits = _mm_and_si128(next, _mm_set1_epi16(0x7800));
    return _mm_movemask_epi8(_mm_cmpeq_epi16(upper_bits, _mm_setzero_si128())) != 0;
}

/// Four f16, each in the upper half of a lane, whose exponents are not special.
__m128 floats_of(__m128i halves) {
    const __m128i fields = _mm_and_si128(_mm_srai_epi32(halves, 3), all_lanes(0x8fffffff));
    return _mm_castsi128_ps(_mm_add_epi32(fields, all_lanes(bias_difference * unit_of_exponent)));
}

void load_f16(const void *from, dim_t first, float *to, dim_t count) {
    const auto *const halves = static_cast<const std::byte *>(from) + 2 * first;
    const __m128i zero = _mm_setzero_si128();
    dim_t c = 0;
    for (; c + lanes_of_f16 <= count; c += lanes_of_f16) {
        const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i *>(halves + 2 * c));
        if (has_special_exponent(eight)) {
            load_each<float16_t>(from, first + c, to + c, lanes_of_f16);
            continue;
        }
        _mm_storeu_ps(to + c, floats_of(_mm_unpacklo_epi16(zero, eight)));
        _mm_storeu_ps(to + c + 4, floats_of(_mm_unpackhi_epi16(zero, eight)));
    }
    load_each<float16_t>(from, first + c, to + c, count - c);
}

/// The codes of four f16, as integers with the sign of the float. No float is NaN.
///
/// |x|, with 2^16 for what is more, is added to 2^(e + 13), where e is its exponent, at least -14,
/// which is that of subnormal f16. The sum is rounded to a multiple of 2^(e - 10), the unit of f16
/// there, so that the bits of the sum exceed those of 2^(e + 13) by the mantissa, its leading one
/// included.
__m128i codes_of(__m128 x) {
    const auto bits_of = [](__m128 value) { return _mm_castps_si128(value); };
    const auto float_of = [](__m128i bits) { return _mm_castsi128_ps(bits); };
    const __m128 magnitude =
            _mm_min_ps(_mm_and_ps(x, float_of(all_lanes(~sign_bit))), _mm_set1_ps(65536.f));
    const __m128i exponent = bits_of(_mm_max_ps(
            _mm_and_ps(magnitude, float_of(all_lanes(f32_exponent))), _mm_set1_ps(0x1p-14f)));
    const __m128i aligner = _mm_add_epi32(exponent, all_lanes(dropped_bits * unit_of_exponent));
    const __m128i mantissa =
            _mm_sub_epi32(bits_of(_mm_add_ps(magnitude, float_of(aligner))), aligner);
    constexpr std::uint32_t subtracted = (bias_difference + 1) * (unit_of_exponent >> dropped_bits);
    const __m128i code = _mm_add_epi32(
            mantissa, _mm_sub_epi32(_mm_srli_epi32(exponent, dropped_bits), all_lanes(subtracted)));
    const __m128i sign = _mm_srai_epi32(_mm_and_si128(bits_of(x), all_lanes(sign_bit)), 16);
    return _mm_or_si128(code, sign);
}

void store_f16(const float *from, void *to, dim_t first, dim_t count) {
    auto *const halves = static_cast<std::byte *>(to) + 2 * first;
    dim_t c = 0;
    for (; c + lanes_of_f16 <= count; c += lanes_of_f16) {
        const __m128 low = _mm_loadu_ps(from + c), high = _mm_loadu_ps(from + c + 4);
        if (_mm_movemask_ps(_mm_cmpunord_ps(low, high)) != 0) {
            store_each<float16_t>(from + c, to, first + c, lanes_of_f16);
            continue;
        }
        _mm_storeu_si128(reinterpret_cast<__m128i *>(halves + 2 * c),
                _mm_packs_epi32(codes_of(low), codes_of(high)));
    }
    store_each<float16_t>(from + c, to, first + c, count - c);
}

} // namespace

void load_floats(data_type_t type, const void *from, dim_t first, float *to, dim_t count) {
    if (type == dnnl_f16) return load_f16(from, first, to, count);
    if (type == dnnl_bf16) return load_each<bfloat16_t>(from, first, to, count);
    assert(type == dnnl_f32);
    load_each<float>(from, first, to, count);
}

void store_floats(data_type_t type, const float *from, void *to, dim_t first, dim_t count) {
    if (type == dnnl_f16) return store_f16(from, to, first, count);
    if (type == dnnl_bf16) return store_each<bfloat16_t>(from, to, first, count);
    assert(type == dnnl_f32);
    store_each<float>(from, to, first, count);
}

} // namespace kiln::cpu::reference::rows
