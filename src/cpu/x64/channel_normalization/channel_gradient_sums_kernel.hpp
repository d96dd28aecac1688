// SPDX-License-Identifier: Apache-2.0
// Sums for the gradients of channels.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_gradient_sums_spec_t {
    channel_walk_t walk;
    channel_operands_t operands; // src, diff_dst, and relu if diff_dst passes a ReLU

    /// E.g. channel_gradient_sums_columns_bf16_bf16_avx512_core (types of diff_dst and src).
    std::string name() const;
};

/// For each channel: sum 0 += sum(dy), sum 1 += sum(dy * (x - mean)), where dy is diff_dst, or 0
/// where the ReLU does not pass it.
///
/// Reads its operands once. Registers per vector of a tile: the mean (planes: one for the tile) and
/// the two sums; one vector each for dy and x - mean.
class channel_gradient_sums_kernel_t : public channel_kernel_t {
public:
    static constexpr int sum_count = 2;

    explicit channel_gradient_sums_kernel_t(const channel_gradient_sums_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    bool has_prefetches() const override;
};

} // namespace kiln::x64::channel_normalization
