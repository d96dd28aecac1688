// SPDX-License-Identifier: Apache-2.0
#include "unit/jit/element_model.hpp"

#include <cmath>
#include <cstring>

#include "support/data_type.hpp"

namespace kiln::test {

namespace {

/// Bits of the fraction of a type's NaN; 0: the type has none, or one without a fraction.
int fraction_bits(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_bf16: return 7;
    case dnnl_f16: return 10;
    case dnnl_f8_e5m2: return 2;
    case dnnl_f8_e4m3: return 3;
    default: return 0;
    }
}

constexpr int float_fraction_bits = 23;
constexpr uint32_t float_infinity = 0x7f800000, quiet = 1u << (float_fraction_bits - 1);

} // namespace

float model_load(dnnl_data_type_t type, uint32_t code) {
    if (type == dnnl_f32) return float_of(code);
    std::byte place[sizeof(code)];
    write_code(place, 0, sizeof(code), code);
    const double value = decode(type, place);
    if (!std::isnan(value)) return static_cast<float>(value);
    const int fraction = fraction_bits(type);
    if (fraction == 0) return std::nanf("");
    const uint32_t payload = code & ((1u << fraction) - 1);
    const uint32_t sign = code >> (8 * model_size(type) - 1);
    // Words that compute quiet a NaN; bf16 is moved.
    return float_of(sign << 31 | float_infinity | payload << (float_fraction_bits - fraction)
                    | (type == dnnl_bf16 ? 0 : quiet));
}

uint32_t model_store(dnnl_data_type_t type, float value) {
    if (type == dnnl_f32) return bits_of(value);
    const int fraction = fraction_bits(type), size = model_size(type);
    if (std::isnan(value) && type == dnnl_f8_e4m3) return std::signbit(value) ? 0xff : 0x7f;
    if (std::isnan(value) && fraction != 0) // the highest bits of a quiet NaN
        return (bits_of(value) & 0x7fffffff & ~float_infinity) >> (float_fraction_bits - fraction)
               | 1u << (fraction - 1) | ((1u << (8 * size - 1 - fraction)) - 1) << fraction
               | uint32_t(std::signbit(value)) << (8 * size - 1);
    std::byte place[sizeof(uint32_t)];
    encode(type, static_cast<double>(value), place);
    return read_code(place, 0, size);
}

int model_size(dnnl_data_type_t type) { return static_cast<int>(size_of(type)); }

uint32_t read_code(const void *base, size_t index, int size) {
    uint32_t code = 0;
    std::memcpy(&code, static_cast<const std::byte *>(base) + index * size_t(size), size_t(size));
    return code;
}

void write_code(void *base, size_t index, int size, uint32_t code) {
    std::memcpy(static_cast<std::byte *>(base) + index * size_t(size), &code, size_t(size));
}

} // namespace kiln::test
