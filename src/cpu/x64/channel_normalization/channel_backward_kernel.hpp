// SPDX-License-Identifier: Apache-2.0
// Gradients of the elements of channels whose statistics and sums are known.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_backward_spec_t {
    channel_walk_t walk;
    // diff_dst; src unless mean and variance are constants; relu if diff_dst passes a ReLU;
    // diff_src and diff_src_1 if they are wanted.
    channel_operands_t operands;
    bool is_non_temporal; // diff_src is stored with non-temporal stores; its rows are aligned

    /// E.g. channel_backward_planes_bf16_bf16_avx512_core (types of diff_dst and diff_src).
    std::string name() const;
};

/// diff_src_1 = dy, diff_src = dy * a + b + (x - mean) * c, where dy is diff_dst, or 0 where the
/// ReLU does not pass it; a = scale / sqrt(variance + epsilon), and b and c follow from the
/// channel's sums. Without src, diff_src = dy * a.
///
/// Reads its inputs and writes its outputs once. Registers per vector of a tile: the values mean,
/// a, b, c (planes: four for the tile); one vector each for dy and x - mean.
class channel_backward_kernel_t : public channel_kernel_t {
public:
    /// Values of a channel: mean, a, b, c.
    enum value_t { mean, factor, offset, slope, value_count };

    explicit channel_backward_kernel_t(const channel_backward_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    bool has_prefetches() const override;

    const bool is_non_temporal_;
};

} // namespace kiln::x64::channel_normalization
