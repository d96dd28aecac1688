// SPDX-License-Identifier: Apache-2.0
// Normalization backward of tensors whose elements belong to channels, as a primitive: which sweeps
// there are, and when. It must not know how gradients follow from sums of channels.
#pragma once

#include <array>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/channels/channel_execution.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::channel_normalization {

/// Where a ReLU in front of which the gradient stands lets diff_dst pass.
struct channels_relu_t {
    const memory_desc_t *md = nullptr; // null: there is none
    int arg = 0;
    bool is_mask = false; // bits; else elements, and those > 0 let pass

    relu_gate_t gate() const {
        if (md == nullptr) return std::nullopt;
        return is_mask ? dnnl_data_type_undef : md->data_type;
    }
    /// Bytes of an element; 0 for bits.
    dim_t size() const { return md == nullptr || is_mask ? 0 : size_of(*md); }
};

/// What an operation asks for. Descriptors are the primitive descriptor's.
struct channels_backward_desc_t {
    const primitive_desc_t &pd;
    unsigned kept_axes;
    dim_t channels_together; // whose statistics are found together
    const memory_desc_t &src, &diff_dst, &diff_src;
    channels_relu_t relu;
    bool has_add;
    bool has_constant_statistics;
    dim_t channels; // that have scale and shift
    float epsilon;
};

/// A first sweep makes the sums s1 = sum(diff_dst), s2 = sum(diff_dst * (x - mean)) of each
/// channel, a second one diff_src = a * diff_dst + b + (x - mean) * c.
class channels_backward_t : public primitive_impl_t {
public:
    channels_backward_t(const channels_backward_desc_t &desc, channel_plan_t plan);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Gives a plan or says why there is none.
    static refusal_t make_plan(
            const channels_backward_desc_t &desc, std::optional<channel_plan_t> &plan);
    /// Bytes, without what finish_all() needs.
    static size_t scratchpad_size(const channel_plan_t &plan);

protected:
    struct execution_t {
        channel_bases_t bases;
        float *values;
        float *sums;
        std::byte *rest_of_scratchpad;
        const float *mean, *variance, *scale;
        float *diff_scale, *diff_shift; // null: not wanted
    };

    const channel_plan_t &plan() const { return plan_; }
    const channels_backward_desc_t &desc() const { return desc_; }
    /// Totals of channels [begin, begin + count) of a unit.
    channel_totals_t totals_of(const execution_t &e, const channel_range_t &range) const;
    /// Sets mean and a of channels [begin, begin + count) of a unit; each has a mean and a
    /// variance.
    void set_factors(const execution_t &e, const channel_range_t &range, const float *mean,
            const float *variance) const;
    /// Where b and c of a unit's channels are.
    float *offsets_of(const execution_t &e, dim_t unit) const;
    float *slopes_of(const execution_t &e, dim_t unit) const;

private:
    /// The operands of the plan, in order; then the ReLU's.
    enum plan_operand_t : size_t {
        src_operand,
        diff_dst_operand,
        diff_src_operand,
        diff_src_1_operand
    };
    /// What a second sweep writes.
    struct outputs_t {
        bool diff_src, diff_src_1, is_non_temporal;
    };

    virtual dim_t units_per_statistics_group() const = 0;
    virtual dim_t tasks_per_statistics_group() const = 0;
    /// From given statistics, set_factors() for units [first, end).
    virtual void begin(const execution_t &e, dim_t first, dim_t end) const = 0;
    /// From the sums of a part of a team to b, c and gradients of scale and shift.
    virtual void finish(const execution_t &e, dim_t team, dim_t part) const = 0;
    /// When all teams are finished.
    virtual void finish_all(const execution_t &) const {}

    static size_t relu_operand(const channels_backward_desc_t &desc);
    channel_pass_t make_sums_pass() const;
    channel_pass_t make_gradient_pass(const outputs_t &outputs) const;
    const channel_pass_t &gradient_pass(const outputs_t &outputs) const;
    bool is_non_temporal(const channel_bases_t &bases) const;
    execution_t begin_execution(const exec_ctx_t &ctx) const;
    float *values_of(const execution_t &e, dim_t unit, int value) const;

    const channels_backward_desc_t desc_;
    const channel_plan_t plan_;
    const channel_arrays_t arrays_;
    dim_t src_size_, diff_dst_size_, diff_src_size_; // of an element
    dim_t element_bytes_;                            // of all tensors
    dim_t bytes_;
    const channel_pass_t sums_;
    mutable std::array<jit::lazy_t<channel_pass_t>, 8> gradient_; // for what is written
    int src_slot_, diff_dst_slot_, relu_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_src_1_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::x64::channel_normalization
