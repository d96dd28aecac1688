// SPDX-License-Identifier: Apache-2.0
// Elements of tensors by the definition of their formats, in scalar code that shares nothing with
// the library.
#include "unit/jit/element_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kiln::test {

namespace {

struct format_t {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity = true; // else NaN is all bits but the sign's

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    uint32_t least_special() const { return has_infinity ? infinity() : sign() - 1; }
    uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }
};

constexpr format_t bf16_format{8, 7};
constexpr format_t f16_format{5, 10};
constexpr format_t e5m2_format{5, 2};
constexpr format_t e4m3_format{4, 3, false};

float decode(const format_t &format, uint32_t code) {
    const uint32_t magnitude = code & (format.sign() - 1);
    const uint32_t fraction = magnitude & ((1u << format.mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const double unsigned_value =
            std::ldexp(fraction + (exponent != 0 ? std::ldexp(1, format.mantissa_bits) : 0),
                    std::max(exponent, 1) - format.bias() - format.mantissa_bits);
    uint32_t bits = bits_of(static_cast<float>(unsigned_value));
    if (magnitude >= format.least_special())
        bits = 0x7f800000 | fraction << (23 - format.mantissa_bits);
    // Words that compute quiet a NaN; bf16 is moved.
    if (fraction != 0 && magnitude >= format.least_special() && format.mantissa_bits != 7)
        bits |= 0x00400000;
    return float_of(bits | (code & format.sign() ? 0x80000000 : 0));
}

uint32_t encode(const format_t &format, float value) {
    const uint32_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isnan(value)) {
        const uint32_t payload = (bits_of(value) & 0x7fffff) >> (23 - format.mantissa_bits);
        return sign | format.infinity() | payload | 1u << (format.mantissa_bits - 1);
    }
    if (std::isinf(value)) return sign | format.infinity();
    int exponent = 0;
    std::frexp(value, &exponent);
    // The exponent of the unit in the last place, then how many units: a carry into the next
    // power of two, infinity too, comes out right by itself.
    const int lowest = 1 - format.bias();
    const int field = value == 0 ? lowest : std::max(exponent - 1, lowest);
    const double units =
            std::nearbyint(std::ldexp(std::fabs(double(value)), format.mantissa_bits - field));
    const double code = std::ldexp(field - lowest, format.mantissa_bits) + units;
    return sign | static_cast<uint32_t>(std::min(code, double(format.infinity())));
}

int to_integer(float value, int lowest, int highest) {
    if (std::isnan(value)) return 0;
    const double clamped = std::clamp(double(value), double(lowest), double(highest));
    return static_cast<int>(std::nearbyint(clamped));
}

uint32_t to_byte(float value, int lowest, int highest) {
    return static_cast<uint32_t>(to_integer(value, lowest, highest) & 0xff);
}

} // namespace

float model_load(dnnl_data_type_t type, uint32_t code) {
    switch (type) {
    case dnnl_f32: return float_of(code);
    case dnnl_bf16: return decode(bf16_format, code);
    case dnnl_f16: return decode(f16_format, code);
    case dnnl_f8_e5m2: return decode(e5m2_format, code);
    case dnnl_f8_e4m3: return decode(e4m3_format, code);
    case dnnl_e8m0:
        return code == 0xff ? std::nanf("") : std::ldexp(1.f, static_cast<int>(code) - 127);
    case dnnl_s32: return static_cast<float>(std::bit_cast<int32_t>(code));
    case dnnl_s8: return static_cast<float>(code < 128 ? int(code) : int(code) - 256);
    default: return static_cast<float>(code);
    }
}

uint32_t model_store(dnnl_data_type_t type, float value) {
    switch (type) {
    case dnnl_f32: return bits_of(value);
    case dnnl_bf16: return encode(bf16_format, value);
    case dnnl_f16: return encode(f16_format, value);
    case dnnl_s32: return std::bit_cast<uint32_t>(to_integer(value, INT32_MIN, INT32_MAX));
    case dnnl_s8: return to_byte(value, -128, 127);
    default: return to_byte(value, 0, 255);
    }
}

int model_size(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f32:
    case dnnl_s32: return 4;
    case dnnl_bf16:
    case dnnl_f16: return 2;
    default: return 1;
    }
}

const char *model_name(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f32: return "f32";
    case dnnl_bf16: return "bf16";
    case dnnl_f16: return "f16";
    case dnnl_s32: return "s32";
    case dnnl_s8: return "s8";
    case dnnl_f8_e5m2: return "f8_e5m2";
    case dnnl_f8_e4m3: return "f8_e4m3";
    case dnnl_e8m0: return "e8m0";
    default: return "u8";
    }
}

uint32_t read_code(const void *base, size_t index, int size) {
    uint32_t code = 0;
    std::memcpy(&code, static_cast<const std::byte *>(base) + index * size_t(size), size_t(size));
    return code;
}

void write_code(void *base, size_t index, int size, uint32_t code) {
    std::memcpy(static_cast<std::byte *>(base) + index * size_t(size), &code, size_t(size));
}

} // namespace kiln::test
