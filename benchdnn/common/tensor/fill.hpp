// SPDX-License-Identifier: Apache-2.0
// Reproducible values for tensors. Each position has its own value, a hash of the position, so that
// a swapped, shifted or repeated block is noticed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/tensor/tensor.hpp"

namespace benchdnn {

// The same text gives the same data on every machine.
uint64_t seed_of(const std::string &text);

// Values in [-1, 1), one for each index, without a period.
class noise_t {
public:
    explicit noise_t(uint64_t seed)
        : seed_(seed) {}
    double operator()(dim_t index) const {
        // The finalizer of SplitMix64: each input bit flips each output bit with a probability of
        // one half.
        uint64_t x = seed_ + static_cast<uint64_t>(index + 1) * 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        x ^= x >> 31;
        return static_cast<double>(static_cast<int64_t>(x)) * 0x1p-63;
    }

private:
    uint64_t seed_;
};

// Stores value(index) in each element, in parallel; the index counts positions, last axis fastest.
void fill_elements(tensor_t &tensor, const std::function<double(dim_t index)> &value);

// Operands of post-ops: both signs where the type has them; never near zero, since they
// divide and multiply; magnitudes around 1 for floating-point types, and 1, 2 or 3 for integers.
void fill_operand(tensor_t &tensor, uint64_t seed);
// Scales and zero points. Scales are multiples of 1/8 up to 2 with both signs, so that products
// with integers of four bits have the significant bits of a bf16.
void fill_quantities(tensor_t &tensor, uint64_t seed);
// 0 or 1.
void fill_condition(tensor_t &tensor, uint64_t seed);
// What dst holds before a sum post-op that reads its elements as those of `type`; undef: of its
// own.
void fill_prior(tensor_t &tensor, dnnl_data_type_t type = dnnl_data_type_undef);

} // namespace benchdnn
