// SPDX-License-Identifier: Apache-2.0
// Sums for the gradients of channels.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_gradient_sums_spec_t {
    channel_walk_t walk;
    data_type_t diff_dst_type;
    data_type_t src_type;
    relu_gate_t relu; // diff_dst counts where it lets it pass

    /// E.g. channel_gradient_sums_columns_bf16_bf16_avx512_core.
    std::string name() const;
};

/// Sums of diff_dst and of diff_dst * (x - mean). Value of a channel: mean. Operands: diff_dst,
/// src, then the ReLU's gate.
class channel_gradient_sums_kernel_t : public channel_kernel_t {
public:
    static constexpr int sum_count = 2;

    explicit channel_gradient_sums_kernel_t(const channel_gradient_sums_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    bool has_prefetches() const override { return is_tensor(spec_.relu); }

    const channel_gradient_sums_spec_t spec_;
};

} // namespace kiln::x64::channel_normalization
