// SPDX-License-Identifier: Apache-2.0
// Dropout in the reference. Random numbers are those of Philox 4x32-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3").
#include "common/attributes/dropout_reference.hpp"

#include <cstdint>

#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/segment_comparison.hpp"

namespace benchdnn {

namespace {

struct philox_t {
    uint32_t counter[4];
    uint32_t key[2];

    void mix() {
        const uint64_t a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        const uint32_t mixed[] = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0],
                static_cast<uint32_t>(b), static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1],
                static_cast<uint32_t>(a)};
        for (int i = 0; i < 4; ++i) counter[i] = mixed[i];
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    uint32_t word(int i) {
        for (int round = 0; round < 10; ++round) mix();
        return counter[i];
    }
};

// Without an offset, four neighbours share a number, and index and seed have 32 bits.
uint32_t random_number(const dropout_t &dropout, dim_t index) {
    const auto seed_low = static_cast<uint32_t>(dropout.seed);
    const auto first = static_cast<uint64_t>(index) & ~uint64_t(3);
    const auto first_low = static_cast<uint32_t>(first);
    if (dropout.offset == 0)
        return philox_t{{first_low, first_low + 1, first_low, first_low + 3}, {seed_low, seed_low}}
                .word(2);
    const auto offset = static_cast<uint64_t>(dropout.offset);
    return philox_t{{static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32), first_low,
                            static_cast<uint32_t>(first >> 32)},
            {seed_low, static_cast<uint32_t>(static_cast<uint64_t>(dropout.seed) >> 32)}}
            .word(static_cast<int>(index & 3));
}

class mask_expectation_t {
public:
    mask_expectation_t(const dropout_t &dropout, dim_t cols)
        : dropout_(dropout)
        , cols_(cols) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        values_.resize(segment.count);
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] = {is_kept(dropout_, segment.index(cols_) + i) ? 1. : 0., 0};
        return values_;
    }

private:
    const dropout_t &dropout_;
    dim_t cols_;
    std::vector<estimate_t> values_;
};

} // namespace

bool is_kept(const dropout_t &dropout, dim_t index) {
    const double probability = static_cast<float>(dropout.probability);
    return random_number(dropout, index) > 4294967295. * probability;
}

estimate_t dropped_out(const dropout_t &dropout, dim_t index, estimate_t value) {
    if (!is_kept(dropout, index)) return {0, 0};
    const float kept_share = 1 - static_cast<float>(dropout.probability);
    return quantization::scaled(value, 1 / kept_share);
}

void compare_mask(const attributes_t &attributes, const arguments_t &arguments,
        std::vector<comparison_t> &comparisons) {
    if (!arguments.has(DNNL_ARG_ATTR_DROPOUT_MASK)) return;
    const tensor_t &mask = arguments.at(DNNL_ARG_ATTR_DROPOUT_MASK);
    comparison_t comparison(
            argument_name(DNNL_ARG_ATTR_DROPOUT_MASK), dnnl_u8, mask.layout().dims());
    comparison.expect_constant(); // few elements, or a probability near 0 or 1
    comparisons.push_back(compare_segments(
            mask, comparison, mask_expectation_t(attributes.dropout, mask.cols())));
}

} // namespace benchdnn
