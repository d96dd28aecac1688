// SPDX-License-Identifier: Apache-2.0
// Binary floating-point formats narrower than double, described by their fields, with rounding to
// nearest even straight from double (so a value is never rounded twice).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace benchdnn {

struct float_format_t {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity; // without one, all ones is NaN and the rest of the top binade are numbers

    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
    constexpr uint32_t magnitude_mask() const {
        return (1u << (exponent_bits + mantissa_bits)) - 1;
    }
    constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    constexpr uint32_t largest() const {
        return has_infinity ? infinity() - 1 : magnitude_mask() - 1;
    }
    constexpr uint32_t nan() const {
        return has_infinity ? infinity() | (1u << (mantissa_bits - 1)) : magnitude_mask();
    }
};

inline constexpr float_format_t bf16_format{8, 7, true};
inline constexpr float_format_t f16_format{5, 10, true};
inline constexpr float_format_t f8_e5m2_format{5, 2, true};
inline constexpr float_format_t f8_e4m3_format{4, 3, false};

constexpr uint32_t sign_of(const float_format_t &format, bool negative) {
    return negative ? 1u << (format.bits() - 1) : 0u;
}

// 2^exponent, for a normal double.
constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

inline uint32_t encode(const float_format_t &format, double value) {
    const uint32_t sign = sign_of(format, std::signbit(value));
    if (std::isnan(value)) return sign | format.nan();
    const uint32_t overflow = format.has_infinity ? format.infinity() : format.nan();
    if (std::isinf(value)) return sign | overflow;

    const double magnitude = std::fabs(value);
    const int least_exponent = 1 - format.bias();
    uint64_t bits;
    if (magnitude < power_of_two(least_exponent)) {
        // Subnormal: an integer number of quanta; 2^mantissa_bits of them are the least normal
        // value.
        bits = static_cast<uint64_t>(
                std::nearbyint(magnitude * power_of_two(format.mantissa_bits - least_exponent)));
    } else {
        // Rounds the bits of the double; a carry moves into the exponent, as it should.
        uint64_t wide;
        std::memcpy(&wide, &magnitude, sizeof(wide));
        const int dropped = 52 - format.mantissa_bits;
        const uint64_t half_less = (uint64_t(1) << (dropped - 1)) - 1;
        wide = (wide + half_less + ((wide >> dropped) & 1)) >> dropped;
        bits = wide - (static_cast<uint64_t>(1023 - format.bias()) << format.mantissa_bits);
    }
    return sign | (bits > format.largest() ? overflow : static_cast<uint32_t>(bits));
}

inline double decode(const float_format_t &format, uint32_t bits) {
    const uint32_t magnitude = bits & format.magnitude_mask();
    const double sign = bits >> (format.bits() - 1) ? -1.0 : 1.0;
    if (format.has_infinity ? magnitude > format.infinity() : magnitude == format.nan())
        return std::numeric_limits<double>::quiet_NaN();
    if (format.has_infinity && magnitude == format.infinity())
        return sign * std::numeric_limits<double>::infinity();
    // The fields are moved to their places in a double; its exponent is then off by the difference
    // of the biases, which one exact multiplication corrects, also for subnormals.
    const uint64_t wide = static_cast<uint64_t>(magnitude) << (52 - format.mantissa_bits);
    double value;
    std::memcpy(&value, &wide, sizeof(value));
    const uint64_t rebias = static_cast<uint64_t>(2 * 1023 - format.bias()) << 52;
    double factor;
    std::memcpy(&factor, &rebias, sizeof(factor));
    return sign * value * factor;
}

} // namespace benchdnn
