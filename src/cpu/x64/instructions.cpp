// SPDX-License-Identifier: Apache-2.0
// Single instructions that drivers need outside generated code.

#include "cpu/x64/instructions.hpp"

#include <emmintrin.h>

namespace kiln::x64 {

void fence_non_temporal_stores() { _mm_sfence(); }

void copy_string(std::byte *dst, const std::byte *src, dim_t bytes) {
    asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
}

// Elements of s8 are summed as those of u8, which are greater by 128.
uint32_t sum_of_bytes(const std::byte *elements, dim_t count, bool is_signed) {
    constexpr dim_t vector_bytes = 16;
    constexpr int top_bit = 128, upper_half = 8;
    const __m128i zero = _mm_setzero_si128();
    const __m128i flips = is_signed ? _mm_set1_epi8(static_cast<char>(top_bit)) : zero;
    __m128i sums = zero;
    const dim_t whole = count / vector_bytes * vector_bytes;
    const auto load = [](const std::byte *at) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    };
    for (dim_t i = 0; i < whole; i += vector_bytes)
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_xor_si128(load(elements + i), flips), zero));
    auto sum = static_cast<uint32_t>(
            _mm_cvtsi128_si32(_mm_add_epi64(sums, _mm_srli_si128(sums, upper_half))));
    if (is_signed) sum -= static_cast<uint32_t>(whole * top_bit);
    for (dim_t i = whole; i < count; ++i) {
        const auto x = static_cast<uint8_t>(elements[i]);
        sum += static_cast<uint32_t>(is_signed ? static_cast<int8_t>(x) : x);
    }
    return sum;
}

} // namespace kiln::x64
