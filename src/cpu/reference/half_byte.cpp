// SPDX-License-Identifier: Apache-2.0
// Elements of half a byte.

#include "cpu/reference/half_byte.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>

#include "common/memory/data_type.hpp"

namespace kiln::cpu::reference {
namespace {

constexpr uint8_t sign_bit = 8;

/// The magnitudes of a floating-point type by their codes.
const double *magnitudes_of(data_type_t type) {
    static constexpr double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    static constexpr double e3m0[] = {0, 0.25, 0.5, 1, 2, 4, 8, 16};
    return type == dnnl_f4_e2m1 ? e2m1 : e3m0;
}

uint8_t encode_float(data_type_t type, double value) {
    constexpr uint8_t largest = 7;
    const double *const values = magnitudes_of(type);
    const double magnitude = std::isnan(value) ? values[largest] : std::fabs(value);
    uint8_t code = 0;
    for (uint8_t next = 1; next <= largest; ++next) {
        const double middle = (values[next - 1] + values[next]) / 2;
        const bool takes_tie = type == dnnl_f4_e2m1 ? next % 2 == 0 : next > 1;
        if (magnitude > middle || (magnitude == middle && takes_tie)) code = next;
    }
    return std::signbit(value) ? code | sign_bit : code;
}

uint8_t encode_integer(double value, double lowest, double highest) {
    if (std::isnan(value)) return 0;
    const double clamped = value < lowest ? lowest : value > highest ? highest : value;
    return static_cast<uint8_t>(round_half_even(clamped) & 0xf);
}

uint8_t encode(data_type_t type, double value) {
    switch (type) {
    case dnnl_s4: return encode_integer(value, -8, 7);
    case dnnl_u4: return encode_integer(value, 0, 15);
    default: return encode_float(type, value);
    }
}

} // namespace

double load_half_byte(data_type_t type, const void *base, dim_t index) {
    // In place, another thread may store the other half of the byte.
    auto &stored = const_cast<uint8_t &>(static_cast<const uint8_t *>(base)[index / 2]);
    const uint8_t byte = std::atomic_ref(stored).load(std::memory_order_relaxed);
    const uint8_t code = index % 2 == 0 ? byte & 0xf : byte >> 4;
    if (type == dnnl_u4) return code;
    if (type == dnnl_s4) return (code & sign_bit) != 0 ? code - 16 : code;
    const double magnitude = magnitudes_of(type)[code & 7];
    return (code & sign_bit) != 0 ? -magnitude : magnitude;
}

void store_half_byte(data_type_t type, double value, void *base, dim_t index) {
    const int shift = index % 2 == 0 ? 0 : 4;
    const std::atomic_ref byte(static_cast<uint8_t *>(base)[index / 2]);
    byte.fetch_and(static_cast<uint8_t>(0xf0 >> shift), std::memory_order_relaxed);
    byte.fetch_or(static_cast<uint8_t>(encode(type, value) << shift), std::memory_order_relaxed);
}

} // namespace kiln::cpu::reference
