// SPDX-License-Identifier: Apache-2.0
// Whether f32 holds every partial sum of some values exactly, in whatever order they are added.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace benchdnn {

inline constexpr double f32_integers = 0x1p24; // f32 holds every integer up to here

// The value of the lowest bit that is set: the value is an integer in units of it. 0 for values so
// small that exactness does not matter.
inline double quantum_of(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    const int lowest = exponent - 52 + std::countr_zero(mantissa);
    return lowest > 0 ? std::bit_cast<double>(static_cast<uint64_t>(lowest) << 52) : 0;
}

// A unit that all values are integers of, the sum of their magnitudes, and their range.
struct extent_t {
    double quantum = HUGE_VAL, sum = 0, least = HUGE_VAL, most = -HUGE_VAL;

    void add(double value) {
        if (value != 0 && std::isfinite(value)) quantum = std::min(quantum, quantum_of(value));
        sum += std::fabs(value);
        least = std::min(least, value);
        most = std::max(most, value);
    }
    // Whether f32 holds every multiple of the unit up to this magnitude.
    bool fits_f32(double magnitude) const { return magnitude <= f32_integers * quantum; }
};

} // namespace benchdnn
