// SPDX-License-Identifier: Apache-2.0
// Sums for the mean and variance of channels.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_moments_spec_t {
    channel_walk_t walk;
    channel_operands_t operands; // src

    /// E.g. channel_moments_columns_bf16_avx512_core.
    std::string name() const;
};

/// For each channel with pivot K: sum 0 += sum(x - K), sum 1 += sum((x - K)^2).
///
/// Reads src once. Registers per vector of a tile: K (planes: one for the tile) and the two sums;
/// one vector for x - K.
class channel_moments_kernel_t : public channel_kernel_t {
public:
    static constexpr int sum_count = 2;

    explicit channel_moments_kernel_t(const channel_moments_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
};

} // namespace kiln::x64::channel_normalization
