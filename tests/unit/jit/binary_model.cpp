// SPDX-License-Identifier: Apache-2.0
// Binary algorithms by their definitions, in double and rounded once.
#include "unit/jit/binary_model.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::test {

std::span<const dnnl_alg_kind_t> binary_algorithms() {
    static constexpr dnnl_alg_kind_t list[] = {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_mul,
            dnnl_binary_div, dnnl_binary_max, dnnl_binary_min, dnnl_binary_ge, dnnl_binary_gt,
            dnnl_binary_le, dnnl_binary_lt, dnnl_binary_eq, dnnl_binary_ne, dnnl_binary_select};
    return list;
}

std::string binary_name(dnnl_alg_kind_t alg) { return dnnl_alg_kind2str(alg); }

float model_binary(dnnl_alg_kind_t alg, float x, float y, float condition) {
    const double a = x;
    const double b = y;
    const bool unordered = std::isnan(x) || std::isnan(y);
    // Double has more than twice a float's digits, so rounding twice is rounding once.
    switch (alg) {
    case dnnl_binary_add: return static_cast<float>(a + b);
    case dnnl_binary_sub: return static_cast<float>(a - b);
    case dnnl_binary_mul: return static_cast<float>(a * b);
    case dnnl_binary_div: return static_cast<float>(a / b);
    case dnnl_binary_max:
        return unordered ? std::numeric_limits<float>::quiet_NaN() : std::fmax(x, y);
    case dnnl_binary_min:
        return unordered ? std::numeric_limits<float>::quiet_NaN() : std::fmin(x, y);
    case dnnl_binary_ge: return !unordered && !(a < b) ? 1.f : 0.f;
    case dnnl_binary_gt: return !unordered && a > b ? 1.f : 0.f;
    case dnnl_binary_le: return !unordered && !(a > b) ? 1.f : 0.f;
    case dnnl_binary_lt: return !unordered && a < b ? 1.f : 0.f;
    case dnnl_binary_eq: return a == b ? 1.f : 0.f;
    case dnnl_binary_ne: return a == b ? 0.f : 1.f;
    case dnnl_binary_select: return condition == 0 ? y : x;
    default: throw std::logic_error("no binary algorithm");
    }
}

bool is_model_result(dnnl_alg_kind_t alg, float actual, float expected) {
    if (std::isnan(expected)) return std::isnan(actual);
    const bool any_zero = alg == dnnl_binary_max || alg == dnnl_binary_min;
    if (any_zero && expected == 0) return actual == 0;
    return std::bit_cast<uint32_t>(actual) == std::bit_cast<uint32_t>(expected);
}

} // namespace kiln::test
