// SPDX-License-Identifier: Apache-2.0
// The narrow floating-point formats in scalar code: their bits, and the way to and from float and
// double.
#pragma once

#include <bit>
#include <cstdint>

namespace kiln {

// Every conversion into a narrow format rounds once, to the nearest value, ties to even.
//   - NaN stays NaN: quiet, its sign and the upper payload bits kept where the format has room.
//   - Above the largest finite value: infinity; f8_e4m3, which has none, becomes NaN (OCP, not
//     saturating). A value that rounds down to the largest finite one is not an overflow.
//   - Results below the smallest normal value of a format are its subnormals, then signed zero.
// Every conversion out of a narrow format is exact. A signalling NaN comes out quiet, except from
// bf16, which is the upper half of a float and is only moved.
//
// Encoding assumes the default floating-point environment (round to nearest) for results that are
// subnormal in f16 and f8, and for double sources; the rest is integer arithmetic.

namespace float_format {

constexpr std::uint32_t f32_infinity = 0x7f800000;
constexpr std::uint32_t f32_quiet_bit = 0x00400000;
constexpr int f32_mantissa_bits = 23;
constexpr int f32_bias = 127;

// 2^exponent as a float; for exponents of normal floats only.
constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(
            static_cast<std::uint32_t>(exponent + f32_bias) << f32_mantissa_bits);
}

// `a` if the condition holds, else `b`: without a jump, which would keep loops from vectorization.
constexpr std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
    return (a & mask) | (b & ~mask);
}

// A format narrower than float in both fields: sign, exponent, mantissa, with subnormals.
// `infinity_code` is the magnitude that encodes infinity, or `no_infinity` where the largest
// magnitude is the only NaN. `overflow_code` is what a too large magnitude becomes.
template <class storage, int exponent_bits, int mantissa_bits, bool has_infinity> struct narrow_t {
    using storage_t = storage;

    static constexpr int width = 1 + exponent_bits + mantissa_bits;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int dropped_bits = f32_mantissa_bits - mantissa_bits;
    static constexpr int smallest_exponent = 1 - bias - mantissa_bits;
    static constexpr std::uint32_t sign_mask = 1u << (width - 1);
    static constexpr std::uint32_t magnitude_mask = sign_mask - 1;
    static constexpr std::uint32_t rebias = static_cast<std::uint32_t>(f32_bias - bias)
                                            << f32_mantissa_bits;
    static constexpr std::uint32_t no_infinity = ~0u;
    static constexpr std::uint32_t exponent_mask = magnitude_mask & ~0u << mantissa_bits;
    static constexpr std::uint32_t infinity_code = has_infinity ? exponent_mask : no_infinity;
    static constexpr std::uint32_t overflow_code = has_infinity ? exponent_mask : magnitude_mask;
    static_assert(width == 8 * sizeof(storage));

    // Three candidates are computed and one is picked, without a jump, so that loops over big
    // tensors neither mispredict nor resist vectorization.
    static storage encode(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const auto magnitude = bits & 0x7fffffff;
        const auto sign = (bits >> (32 - width)) & sign_mask;

        const auto odd = (magnitude >> dropped_bits) & 1;
        const auto rounded = magnitude - rebias + ((1u << (dropped_bits - 1)) - 1) + odd;
        const auto normal = static_cast<std::int32_t>(rounded) >> dropped_bits;

        // Adding a value whose unit in the last place is the format's smallest subnormal makes
        // the addition round where this format rounds.
        constexpr float aligner = power_of_two(smallest_exponent + f32_mantissa_bits);
        const auto subnormal =
                std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude) + aligner)
                - std::bit_cast<std::int32_t>(aligner);

        const auto payload = (magnitude >> dropped_bits) & ((1u << mantissa_bits) - 1);
        const auto quiet_bit = 1u << (mantissa_bits - 1);
        const auto nan = static_cast<std::int32_t>(
                has_infinity ? exponent_mask | quiet_bit | payload : magnitude_mask);

        constexpr auto limit = static_cast<std::int32_t>(overflow_code);
        auto code = normal < limit ? normal : limit;
        code = magnitude < std::bit_cast<std::uint32_t>(power_of_two(1 - bias)) ? subnormal : code;
        code = magnitude > f32_infinity ? nan : code;
        return static_cast<storage>(sign | static_cast<std::uint32_t>(code));
    }

    static float decode(storage raw) {
        const auto magnitude = raw & magnitude_mask;
        const auto sign = (raw & sign_mask) << (32 - width);
        const auto shifted = magnitude << dropped_bits;

        const auto count = static_cast<float>(static_cast<std::int32_t>(magnitude));
        const auto subnormal =
                std::bit_cast<std::uint32_t>(count * power_of_two(smallest_exponent));
        const auto infinity_or_nan =
                f32_infinity | shifted | (magnitude == infinity_code ? 0 : f32_quiet_bit);

        const auto finite = select(magnitude < (1u << mantissa_bits), subnormal, shifted + rebias);
        return std::bit_cast<float>(
                sign | select(magnitude >= overflow_code, infinity_or_nan, finite));
    }
};

// The upper half of a float: same exponent, so every case but NaN is one rounded shift.
struct brain_t {
    using storage_t = std::uint16_t;

    static std::uint16_t encode(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const auto rounded = bits + 0x7fff + ((bits >> 16) & 1);
        const auto is_nan = (bits & 0x7fffffff) > f32_infinity;
        return static_cast<std::uint16_t>((is_nan ? bits | f32_quiet_bit : rounded) >> 16);
    }

    static float decode(std::uint16_t raw) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(raw) << 16);
    }
};

} // namespace float_format

// Narrows to float so that the last bit remembers whether anything was lost (round to odd). A
// second rounding to a format at least two bits narrower then gives what one rounding would.
inline float round_to_odd(double value) {
    const auto nearest = static_cast<float>(value);
    const auto back = static_cast<double>(nearest);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (back == value || value != value || (bits & 1) != 0) return nearest;
    // An even neighbour was chosen; the other neighbour of the exact value is odd.
    const bool away_from_zero = (back > value) == (value > 0);
    return std::bit_cast<float>(away_from_zero ? bits - 1 : bits + 1);
}

// A value in a narrow format as it lies in memory. `format` gives its meaning.
template <class format> struct packed_float_t {
    using storage_t = typename format::storage_t;

    storage_t bits;

    packed_float_t() = default;
    explicit packed_float_t(float value)
        : bits(format::encode(value)) {}
    explicit packed_float_t(double value)
        : bits(format::encode(round_to_odd(value))) {}

    static packed_float_t from_bits(storage_t bits) {
        packed_float_t result;
        result.bits = bits;
        return result;
    }

    explicit operator float() const { return format::decode(bits); }
    explicit operator double() const { return format::decode(bits); }
};

using bfloat16_t = packed_float_t<float_format::brain_t>;
using float16_t = packed_float_t<float_format::narrow_t<std::uint16_t, 5, 10, true>>;
using float8_e5m2_t = packed_float_t<float_format::narrow_t<std::uint8_t, 5, 2, true>>;
using float8_e4m3_t = packed_float_t<float_format::narrow_t<std::uint8_t, 4, 3, false>>;

static_assert(sizeof(bfloat16_t) == 2 && sizeof(float16_t) == 2);
static_assert(sizeof(float8_e5m2_t) == 1 && sizeof(float8_e4m3_t) == 1);

// A power of two as a bare exponent, used for scales. It has neither zero nor infinity: the code 0
// is 2^-127, and the largest code is NaN.
struct float8_e8m0_t {
    std::uint8_t bits;

    explicit operator float() const {
        if (bits == 0xff) return std::bit_cast<float>(0x7fc00000u);
        if (bits == 0) return std::bit_cast<float>(0x00400000u);
        return std::bit_cast<float>(
                static_cast<std::uint32_t>(bits) << float_format::f32_mantissa_bits);
    }
};

static_assert(sizeof(float8_e8m0_t) == 1);

} // namespace kiln
