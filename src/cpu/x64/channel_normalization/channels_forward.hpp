// SPDX-License-Identifier: Apache-2.0
// Normalization forward of tensors whose elements belong to channels, as a primitive: which sweeps
// there are, and when. It must not know how statistics follow from sums of channels.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/channels/channel_execution.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::channel_normalization {

/// What an operation asks for. Descriptors are the primitive descriptor's.
struct channels_forward_desc_t {
    const primitive_desc_t &pd;
    unsigned kept_axes;
    dim_t channels_together; // whose statistics are found together
    const memory_desc_t &src, &dst;
    const memory_desc_t *relu_mask; // null: none
    bool reads_stats, writes_stats;
    bool has_relu, has_add;
    bool has_dst_scale; // of quantization
    dim_t channels;     // that have scale and shift
    float epsilon;
    post_op_operands_t post_ops;
};

/// A first sweep sums x - K and (x - K)^2 of each channel, K being one of its elements (moments), a
/// second one normalizes.
class channels_forward_t : public primitive_impl_t {
public:
    channels_forward_t(channels_forward_desc_t desc, channel_plan_t plan);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Gives a plan or says why there is none.
    static refusal_t make_plan(
            const channels_forward_desc_t &desc, std::optional<channel_plan_t> &plan);
    static size_t scratchpad_size(const channel_plan_t &plan);

protected:
    struct execution_t {
        channel_bases_t bases;
        float *pivots; // K
        float *values;
        float *sums;
        const float *scale, *shift;
        float *mean, *variance;
        float src_scale, dst_scale;
    };

    const channel_plan_t &plan() const { return plan_; }
    const channels_forward_desc_t &desc() const { return desc_; }
    const channel_arrays_t &arrays() const { return arrays_; }
    /// The pivots of a unit's channels.
    float *pivots_of(const execution_t &e, dim_t unit) const;
    /// Makes another value the K of a unit's channel. Of planes, the channels of the units that
    /// follow count as the unit's.
    void set_pivot(const execution_t &e, dim_t unit, dim_t channel, float pivot) const;
    /// Makes what the second sweep needs of channels [begin, begin + count) of a unit; each has a
    /// mean and a variance.
    void set_values(const execution_t &e, const channel_range_t &range, const float *mean,
            const float *variance) const;

    /// Whether deviations from K have lost digits that others would have: it lies more than two
    /// standard deviations off the mean (sums in double over many chunks make up for less), or it
    /// is not finite. Where sums about a finite K are not, another one is no better.
    static bool is_pivot_far(float pivot, double offset, double variance);

private:
    /// The operands of the plan, in order; then the mask and the operands of post-ops.
    enum plan_operand_t : size_t { src_operand, dst_operand, src_1_operand };

    virtual dim_t units_per_statistics_group() const = 0;
    virtual dim_t tasks_per_statistics_group() const = 0;
    /// From the sums of a part of a team to statistics, then set_values(). False where a K is far
    /// from its mean: it is another one then, and sums are made once more; not if `is_last`.
    virtual bool finish(const execution_t &e, dim_t team, dim_t part, bool is_last) const = 0;
    /// From given statistics, set_values() for units [first, end).
    virtual void take_given(const execution_t &e, dim_t first, dim_t end) const = 0;

    static size_t mask_operand(const channels_forward_desc_t &desc);
    static size_t first_post_op_operand(const channels_forward_desc_t &desc);
    const channel_pass_t &normalize_pass(bool is_non_temporal) const;
    bool is_non_temporal(const channel_bases_t &bases) const;
    execution_t begin_execution(const exec_ctx_t &ctx) const;
    /// K of the channels of some units, more than one only if they can be joined.
    void sample(const execution_t &e, dim_t first, dim_t units) const;

    const channels_forward_desc_t desc_;
    const channel_plan_t plan_;
    const channel_arrays_t arrays_;
    std::optional<jit::executable_code_t> sample_code_;
    std::optional<channel_pass_t> moments_;
    // With ordinary and with non-temporal stores.
    mutable std::array<jit::lazy_t<channel_pass_t>, 2> normalize_;
    dim_t src_size_, dst_size_; // of an element
    dim_t bytes_;               // of the tensors
    int src_slot_, dst_slot_, src_1_slot_, mask_slot_;
    int mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int src_scale_slot_, dst_scale_slot_;
};

} // namespace kiln::x64::channel_normalization
