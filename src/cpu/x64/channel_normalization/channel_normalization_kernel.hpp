// SPDX-License-Identifier: Apache-2.0
// The kernels of both sweeps over channels, forward and backward.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/channel_normalization/bounded_results.hpp"
#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/channels/channel_kernel.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64::channel_normalization {

/// What a kernel computes, x being an element of src, and dy one of diff_dst, or 0 where the ReLU
/// does not pass it; a = scale / sqrt(variance + epsilon).
enum class channel_work_t {
    /// Forward. For each channel with pivot K: sum 0 += sum(x - K), sum 1 += sum((x - K)^2).
    moments,
    /// dst = post_ops(relu((x - center) * a + b + src_1)) / divisor, where
    /// b = shift - (mean - center) * a. The center is the mean as a float, and b has the digits
    /// that it lost when it was rounded. Bits of relu_mask are 1 where the ReLU passes its operand.
    forward,
    /// Backward. For each channel: sum 0 += sum(dy), sum 1 += sum(dy * (x - mean)).
    gradient_sums,
    /// diff_src_1 = dy, diff_src = dy * a + b + (x - mean) * c, where b and c follow from the
    /// channel's sums. Without src, diff_src = dy * a.
    backward,
};

/// What distinguishes one kernel from another.
struct channel_spec_t {
    channel_work_t work;
    channel_walk_t walk;
    // By forward_operand or backward_operand: inputs that are read, outputs that are wanted.
    channel_operands_t operands;
    bool is_non_temporal = false; // dst or diff_src is stored so; its rows are aligned
    // Forward:
    bool has_relu = false;
    bool has_divisor = false;
    std::vector<jit::post_op_link_t> post_ops = {};

    /// E.g. channel_forward_planes_bf16_f32_avx512_core, with the types of the main input and of
    /// the main output or, for gradient sums, of diff_dst and src.
    std::string name() const;
};

/// Reads its inputs and writes its outputs once.
///
/// Values of a channel, which sums are not added to: channel_value::center for sums, else all of
/// channel_value. Registers per vector of a tile: the values (planes: of the tile) and the
/// sums; besides, one vector for x - mean or the result, one for dy, src_1 or 0, and what post-ops
/// take.
class channel_normalization_kernel_t : public channel_kernel_t {
public:
    explicit channel_normalization_kernel_t(const channel_spec_t &spec);

private:
    void visit(const tile_t &tile) override;
    void choose_form(const tile_t &tile, const function_ref_t<void()> &write) override;
    /// Whether s8 is written that coefficients may bound.
    bool may_be_bounded() const;
    void add_moments(int i, int count);
    void add_gradients(int i, int count);
    void write_dst(int i, int count);
    void write_gradients(int i, int count);
    /// dy in the type of floats. `scratch` is overwritten.
    void load_gradient(const Xmm &dy, int i, int count, const Xmm &scratch);
    void store(const Xmm &y, size_t operand, int i, int count);

    const channel_spec_t spec_;
    results_t results_ = results_t::any; // of the form that is written
};

} // namespace kiln::x64::channel_normalization
