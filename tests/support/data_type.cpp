// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes the data types; the formats of 8 and 16 bits by arithmetic on their fields.
#include "support/data_type.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace kiln::test {

namespace {

struct float_format_t {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity = true; // else NaN alone has all bits but the sign's set

    int sign_place() const { return exponent_bits + fraction_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    uint64_t infinity() const { return ((uint64_t(1) << exponent_bits) - 1) << fraction_bits; }
};

constexpr float_format_t bf16_format{8, 7};
constexpr float_format_t f16_format{5, 10};
constexpr float_format_t e5m2_format{5, 2};
constexpr float_format_t e4m3_format{4, 3, false};

/// 2 to the power of an exponent of normal numbers; much faster than std::ldexp.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

uint64_t magnitude_bits(float_format_t format, double value) {
    const uint64_t most = (uint64_t(1) << format.sign_place()) - 1;
    if (!format.has_infinity && !std::isfinite(value)) return most;
    if (std::isnan(value)) return format.infinity() | (uint64_t(1) << (format.fraction_bits - 1));
    if (std::isinf(value)) return format.infinity();
    const int least_exponent = 1 - format.bias();
    // That of zero and of subnormal numbers is -1023, less than the least of each format.
    const int exponent_of_value = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
    const int exponent = std::max(exponent_of_value, least_exponent);
    // Counted in units of the last place, the implied one and a carry add to the exponent field.
    const double ulps = std::nearbyint(value * power_of_two(format.fraction_bits - exponent));
    const auto exponent_field = static_cast<uint64_t>(exponent - least_exponent);
    const uint64_t bits = (exponent_field << format.fraction_bits) + static_cast<uint64_t>(ulps);
    return std::min(bits, format.has_infinity ? format.infinity() : most);
}

uint16_t encode_narrow(float_format_t format, double value) {
    const uint64_t sign = uint64_t(std::signbit(value)) << format.sign_place();
    return static_cast<uint16_t>(sign | magnitude_bits(format, std::fabs(value)));
}

double decode_narrow(float_format_t format, uint16_t bits) {
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    const int magnitude = bits & ((1 << format.sign_place()) - 1);
    const int exponent = magnitude >> format.fraction_bits;
    const double sign = bits >> format.sign_place() & 1 ? -1 : 1;
    const bool is_special = format.has_infinity ? exponent == (1 << format.exponent_bits) - 1
                                                : magnitude == (1 << format.sign_place()) - 1;
    if (is_special)
        return fraction ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
    const int implied = exponent > 0 ? 1 << format.fraction_bits : 0;
    return sign
           * std::ldexp(fraction + implied,
                   std::max(exponent, 1) - format.bias() - format.fraction_bits);
}

/// Looks the value up among all values of f16.
double decode_f16(uint16_t bits) {
    static const auto values = [] {
        std::vector<double> values;
        for (uint32_t bits = 0; bits < 0x10000; ++bits)
            values.push_back(decode_narrow(f16_format, static_cast<uint16_t>(bits)));
        return values;
    }();
    return values[bits];
}

template <typename value_t> void put(std::byte *place, value_t value) {
    std::memcpy(place, &value, sizeof(value));
}

template <typename value_t> value_t get(const std::byte *place) {
    value_t value;
    std::memcpy(&value, place, sizeof(value));
    return value;
}

template <typename integer_t> void put_saturated(std::byte *place, double value) {
    using limits = std::numeric_limits<integer_t>;
    if (std::isnan(value)) value = 0;
    const double nearest = std::nearbyint(value);
    put(place, static_cast<integer_t>(
                       std::clamp(nearest, double(limits::min()), double(limits::max()))));
}

/// Magnitudes of floats of four bits by their codes.
constexpr double e2m1_values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
constexpr double e3m0_values[] = {0, 0.25, 0.5, 1, 2, 4, 8, 16};

[[noreturn]] void unknown_type() { throw std::logic_error("the tests do not know this data type"); }

} // namespace

size_t size_of(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f64: return 8;
    case dnnl_f32:
    case dnnl_s32: return 4;
    case dnnl_bf16:
    case dnnl_f16: return 2;
    case dnnl_s8:
    case dnnl_u8:
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1:
    case dnnl_f4_e3m0:
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_e8m0:
    case dnnl_boolean: return 1;
    default: unknown_type();
    }
}

bool is_half_byte(dnnl_data_type_t type) {
    return type == dnnl_s4 || type == dnnl_u4 || type == dnnl_f4_e2m1 || type == dnnl_f4_e3m0;
}

bool is_integer(dnnl_data_type_t type) {
    return type == dnnl_s32 || type == dnnl_s8 || type == dnnl_u8 || type == dnnl_boolean
           || type == dnnl_s4 || type == dnnl_u4;
}

double unit_roundoff(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f64: return std::ldexp(1, -53);
    case dnnl_f32: return std::ldexp(1, -24);
    case dnnl_bf16: return std::ldexp(1, -8);
    case dnnl_f16: return std::ldexp(1, -11);
    case dnnl_f8_e5m2: return std::ldexp(1, -3);
    case dnnl_f8_e4m3: return std::ldexp(1, -4);
    default: return 0;
    }
}

double arithmetic_roundoff(std::initializer_list<dnnl_data_type_t> types) {
    const bool has_f64 = std::find(types.begin(), types.end(), dnnl_f64) != types.end();
    return unit_roundoff(has_f64 ? dnnl_f64 : dnnl_f32);
}

void encode(dnnl_data_type_t type, double value, std::byte *place) {
    switch (type) {
    case dnnl_f64: return put(place, value);
    case dnnl_f32: return put(place, static_cast<float>(value));
    case dnnl_bf16: return put(place, encode_narrow(bf16_format, value));
    case dnnl_f16: return put(place, encode_narrow(f16_format, value));
    case dnnl_f8_e5m2: return put(place, static_cast<uint8_t>(encode_narrow(e5m2_format, value)));
    case dnnl_f8_e4m3: return put(place, static_cast<uint8_t>(encode_narrow(e4m3_format, value)));
    case dnnl_s32: return put_saturated<int32_t>(place, value);
    case dnnl_s8: return put_saturated<int8_t>(place, value);
    case dnnl_u8: return put_saturated<uint8_t>(place, value);
    case dnnl_boolean: return put<uint8_t>(place, value != 0);
    case dnnl_e8m0: return put(place, static_cast<uint8_t>(std::ilogb(value) + 127));
    default: unknown_type();
    }
}

double decode(dnnl_data_type_t type, const std::byte *place) {
    switch (type) {
    case dnnl_f64: return get<double>(place);
    case dnnl_f32: return get<float>(place);
    case dnnl_bf16: return std::bit_cast<float>(get<uint16_t>(place) * 0x10000u);
    case dnnl_f16: return decode_f16(get<uint16_t>(place));
    case dnnl_f8_e5m2: return decode_narrow(e5m2_format, get<uint8_t>(place));
    case dnnl_f8_e4m3: return decode_narrow(e4m3_format, get<uint8_t>(place));
    case dnnl_s32: return get<int32_t>(place);
    case dnnl_s8: return get<int8_t>(place);
    case dnnl_u8:
    case dnnl_boolean: return get<uint8_t>(place);
    case dnnl_e8m0: {
        const auto code = get<uint8_t>(place);
        return code == 0xff ? std::nan("") : std::ldexp(1, code - 127);
    }
    default: unknown_type();
    }
}

void encode_half(dnnl_data_type_t type, double value, std::byte *place, bool is_upper) {
    int code = static_cast<int>(value) & 0xf;
    if (!is_integer(type)) {
        const auto &values = type == dnnl_f4_e2m1 ? e2m1_values : e3m0_values;
        const auto *const nearest = std::min_element(
                std::begin(values), std::end(values), [=](double one, double other) {
                    return std::fabs(one - std::fabs(value)) < std::fabs(other - std::fabs(value));
                });
        code = static_cast<int>(nearest - values) + (std::signbit(value) ? 8 : 0);
    }
    const auto bits = static_cast<std::byte>(code);
    *place = is_upper ? (*place & std::byte{0x0f}) | bits << 4 : (*place & std::byte{0xf0}) | bits;
}

double decode_half(dnnl_data_type_t type, const std::byte *place, bool is_upper) {
    const int bits = static_cast<int>(is_upper ? *place >> 4 : *place & std::byte{0x0f});
    if (!is_integer(type))
        return (bits >= 8 ? -1 : 1) * (type == dnnl_f4_e2m1 ? e2m1_values : e3m0_values)[bits & 7];
    return type == dnnl_s4 && bits >= 8 ? bits - 16 : bits;
}

double rounded(dnnl_data_type_t type, double value) {
    std::byte place[8];
    if (is_half_byte(type)) {
        const double nearest = !is_integer(type) ? value
                               : type == dnnl_s4 ? std::clamp(std::nearbyint(value), -8.0, 7.0)
                                                 : std::clamp(std::nearbyint(value), 0.0, 15.0);
        encode_half(type, nearest, place, false);
        return decode_half(type, place, false);
    }
    encode(type, value, place);
    return decode(type, place);
}

} // namespace kiln::test
