// SPDX-License-Identifier: Apache-2.0
// Sums for the mean and variance of channels.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_moments_spec_t {
    channel_walk_t walk;
    data_type_t src_type;

    /// E.g. channel_moments_columns_bf16_avx512_core.
    std::string name() const;
};

/// With a value K of each channel, near its mean: sums of x - K and of (x - K)^2.
/// Operand 0: src.
class channel_moments_kernel_t : public channel_kernel_t {
public:
    static constexpr int sum_count = 2;

    explicit channel_moments_kernel_t(const channel_moments_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
};

} // namespace kiln::x64::channel_normalization
