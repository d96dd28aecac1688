// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding in scalar code.

#include "cpu/reference/stochastic_rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cpu/reference/dropout.hpp"

namespace kiln::cpu::reference {
namespace {

struct stochastic_format_t {
    int dropped_bits; // of a float's mantissa
    float smallest_normal;
    float largest;
};

stochastic_format_t stochastic_format_of(data_type_t type) {
    switch (type) {
    case dnnl_bf16: return {16, 0x1p-126f, 0x1.fep127f};
    case dnnl_f16: return {13, 0x1p-14f, 65504.f};
    case dnnl_f8_e5m2: return {21, 0x1p-14f, 57344.f};
    default: return {20, 0x1p-6f, 448.f}; // f8_e4m3
    }
}

} // namespace

float round_stochastically(float value, data_type_t type, uint64_t index, uint32_t seed) {
    if (std::isnan(value)) return value;
    const stochastic_format_t format = stochastic_format_of(type);
    const uint32_t dropped = (1u << format.dropped_bits) - 1;
    const uint32_t noise = random_word(index, seed) & dropped;
    const float near = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + noise) & ~dropped);
    // Noise that carries beyond the largest float gives infinity or NaN.
    const float magnitude = std::isfinite(near) ? std::fabs(near) : format.largest;
    if (magnitude < format.smallest_normal) return 0.f;
    return std::copysign(std::min(magnitude, format.largest), value);
}

} // namespace kiln::cpu::reference
