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
    data_type_t src_type;
    data_type_t dst_type;
    bool has_relu;
    bool has_relu_mask;   // it is stored
    bool has_add;         // src_1, laid out and typed like dst, is added in front of the ReLU
    bool is_non_temporal; // dst is stored past the caches; every row of it is aligned as asked
                          // below
    bool has_divisor;     // a last value by which results of post-ops are divided
    std::vector<jit::post_op_link_t> post_ops = {};

    /// E.g. channel_forward_planes_bf16_bf16_avx512_core.
    std::string name() const;
};

/// dst = post_ops(relu((x - mean) * a + shift + src_1)) / divisor, where
/// a = scale / sqrt(variance + epsilon). Values of a channel: mean, a, shift, divisor. Operands:
/// src, dst, then src_1 and the mask of the ReLU where there are such.
class channel_forward_kernel_t : public channel_kernel_t {
public:
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
