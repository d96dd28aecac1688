// SPDX-License-Identifier: Apache-2.0
// Elements of e8m0: powers of two, as scales have them.
#pragma once

#include <bit>

#include "common/memory/data_type.hpp"

namespace kiln::cpu::reference {

/// Exact.
inline double load_e8m0(const void *base, dnnl_dim_t index) {
    return static_cast<double>(static_cast<float>(load_element<float8_e8m0_t>(base, index)));
}

/// The power of two at or below the magnitude of the value, which is rounded to f32 first; 2^-127
/// for smaller ones and zero, NaN for infinities.
inline float8_e8m0_t to_e8m0(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return {static_cast<std::uint8_t>(bits >> float_format::f32_mantissa_bits)};
}

} // namespace kiln::cpu::reference
