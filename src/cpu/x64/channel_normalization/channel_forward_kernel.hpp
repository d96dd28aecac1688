// SPDX-License-Identifier: Apache-2.0
// Normalizes the elements of channels whose statistics are known.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/channels/channel_kernel.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64::channel_normalization {

struct channel_forward_spec_t {
    channel_walk_t walk;
    channel_operands_t operands; // src, dst; src_1 and relu_mask if they are used
    bool has_relu;
    bool is_non_temporal; // dst is stored with non-temporal stores; its rows are aligned
    bool has_divisor;     // the result is divided by a last value
    std::vector<jit::post_op_link_t> post_ops = {};

    /// E.g. channel_forward_planes_bf16_bf16_avx512_core (types of src and dst).
    std::string name() const;
};

/// dst = post_ops(relu((x - mean) * a + shift + src_1)) / divisor, where
/// a = scale / sqrt(variance + epsilon). Bits of relu_mask are 1 where the ReLU passes its operand.
///
/// Reads its inputs and writes its outputs once. Registers per vector of a tile: the values mean,
/// a, shift, divisor (planes: four for the tile); one vector for the result, one for src_1 or 0,
/// and what the post-ops take.
class channel_forward_kernel_t : public channel_kernel_t {
public:
    /// Values of a channel: mean, a, shift and, if there is one, the divisor.
    enum value_t { mean, factor, shift, divisor, value_count };

    explicit channel_forward_kernel_t(const channel_forward_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    void apply_relu(const Xbyak::Xmm &y, int i, int count);
    void apply_post_ops(const Xbyak::Xmm &y, int i, int count);

    const channel_forward_spec_t spec_;
    const jit::post_op_chain_t post_ops_;
};

} // namespace kiln::x64::channel_normalization
