// SPDX-License-Identifier: Apache-2.0
// Reproducible values for tensors. Every position gets its own value from a hash of the position,
// so that a swapped, shifted or repeated block cannot go unnoticed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/tensor/tensor.hpp"

namespace benchdnn {

// The same text gives the same data on every machine.
uint64_t seed_of(const std::string &text);

// Values in [-1, 1), one per index, with no period a block size could divide.
class noise_t {
public:
    explicit noise_t(uint64_t seed)
        : seed_(seed) {}
    double operator()(dim_t index) const {
        // The finalizer of SplitMix64: each input bit flips each output bit with chance one half.
        uint64_t x = seed_ + static_cast<uint64_t>(index + 1) * 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        x ^= x >> 31;
        return static_cast<double>(static_cast<int64_t>(x)) * 0x1p-63;
    }

private:
    uint64_t seed_;
};

// Calls row_values(row, values) for each row, in parallel, and stores what it leaves there.
void fill_rows(tensor_t &tensor, const std::function<void(dim_t row, double *values)> &row_values);

// Operands of post-ops and scales: both signs where the type has them, never near zero (they divide
// and multiply), magnitudes around 1 for floats and 1, 2, 3 for integers.
void fill_operand(tensor_t &tensor, uint64_t seed);
// 0 or 1.
void fill_condition(tensor_t &tensor, uint64_t seed);

} // namespace benchdnn
