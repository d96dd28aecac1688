// SPDX-License-Identifier: Apache-2.0
// diff_src of the elements of channels whose statistics and sums are known.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

struct channel_backward_spec_t {
    channel_walk_t walk;
    data_type_t diff_dst_type;
    data_type_t diff_src_type;
    data_type_t src_type; // undef: statistics are constants, and src says nothing
    relu_gate_t relu;     // diff_dst counts where it lets it pass
    bool has_diff_src;
    bool has_diff_src_1;  // diff_dst where it counts, laid out and typed like diff_dst
    bool is_non_temporal; // diff_src is stored past the caches; every row of it is aligned

    /// E.g. channel_backward_planes_bf16_bf16_avx512_core.
    std::string name() const;
};

/// diff_src = diff_dst * a + b + (x - mean) * c, where a = scale / sqrt(variance + epsilon) and b
/// and c follow from the sums. Values of a channel: mean, a, b, c. Operands: diff_dst, then src,
/// the ReLU's gate, diff_src and diff_src_1 where there are such.
class channel_backward_kernel_t : public channel_kernel_t {
public:
    enum value_t { mean, factor, offset, slope, value_count };

    explicit channel_backward_kernel_t(const channel_backward_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    bool has_prefetches() const override { return is_tensor(spec_.relu); }

    const channel_backward_spec_t spec_;
};

} // namespace kiln::x64::channel_normalization
