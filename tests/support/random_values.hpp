// SPDX-License-Identifier: Apache-2.0
// Random values that are the same in every run and on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/data_type.hpp"

namespace kiln::test {

class random_values_t {
public:
    explicit random_values_t(uint64_t seed)
        : engine_(seed) {}

    /// Evenly spread over [low, high). (The distributions of <random> differ between libraries.)
    double between(double low, double high) {
        constexpr double steps = 1ull << 53;
        return low + (high - low) * (static_cast<double>(engine_() >> 11) / steps);
    }

    std::vector<double> many(int64_t count, double low, double high) {
        std::vector<double> values(static_cast<size_t>(count));
        for (auto &value : values) value = between(low, high);
        return values;
    }

private:
    std::mt19937_64 engine_;
};

/// Elements of a tensor: numbers below `most`, or of integer types whole ones below `most_integer`;
/// of both signs if the type has them.
inline std::vector<double> random_elements(
        dnnl_data_type_t type, int64_t count, uint64_t seed, double most, double most_integer) {
    const bool is_unsigned = type == dnnl_u8 || type == dnnl_u4;
    const double bound = is_integer(type) ? most_integer : most;
    auto values = random_values_t(seed).many(count, is_unsigned ? 0 : -bound, bound);
    if (is_integer(type))
        for (double &value : values) value = std::floor(value);
    return values;
}

} // namespace kiln::test
