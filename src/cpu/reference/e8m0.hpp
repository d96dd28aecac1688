// SPDX-License-Identifier: Apache-2.0
// Conversion to e8m0, powers of two as scales have them.
#pragma once

#include <bit>

#include "common/memory/data_type.hpp"

namespace kiln::cpu::reference {

/// The power of two at or below the magnitude of the value, which is rounded to f32 first; 2^-127
/// for smaller ones and zero, NaN for infinities.
inline float8_e8m0_t to_e8m0(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return {static_cast<std::uint8_t>(bits >> float_format::f32_mantissa_bits)};
}

} // namespace kiln::cpu::reference
