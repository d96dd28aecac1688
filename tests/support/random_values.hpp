// SPDX-License-Identifier: Apache-2.0
// Random values that are the same in every run and on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

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

} // namespace kiln::test
