// SPDX-License-Identifier: Apache-2.0
// Random choices that follow from a seed alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace kiln::test::differential {

class random_t {
public:
    explicit random_t(uint64_t seed)
        : state_(mixed(seed)) {} // else the numbers of neighbouring seeds would be the same ones

    /// The generator SplitMix64.
    uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15); }

    /// A number from 0 to count - 1.
    int64_t below(int64_t count) {
        return static_cast<int64_t>(next() % static_cast<uint64_t>(count));
    }
    /// Evenly spread over [low, high).
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
    }
    bool chance(double probability) { return between(0, 1) < probability; }

    template <typename list_t> auto pick(const list_t &list) {
        return *(std::begin(list) + below(static_cast<int64_t>(std::size(list))));
    }
    template <typename value_t> value_t pick(std::initializer_list<value_t> list) {
        return *(list.begin() + below(static_cast<int64_t>(list.size())));
    }

private:
    static uint64_t mixed(uint64_t bits) {
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        return bits ^ (bits >> 31);
    }

    uint64_t state_;
};

} // namespace kiln::test::differential
