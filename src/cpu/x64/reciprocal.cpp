// SPDX-License-Identifier: Apache-2.0
// The reciprocal of a number that many are divided by.

#include "cpu/x64/reciprocal.hpp"

#include <cmath>

#include "common/memory/data_type.hpp"

namespace kiln::x64 {

reciprocal_t::reciprocal_t(float divisor)
    : high(1 / divisor) {
    if (!std::isnormal(divisor) || !std::isnormal(high)) return;
    high = std::nextafter(high, 0.f);
    low = std::fma(-divisor, high, 1.f) / divisor;
}

reciprocal_t::reciprocal_t(const void *divisor, data_type_t type)
    : reciprocal_t(static_cast<float>(load_f64(type, divisor, 0))) {}

} // namespace kiln::x64
