// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization backward, as a primitive.
#pragma once

#include <array>

#include "cpu/x64/channel_normalization/channels_execution.hpp"

namespace kiln::x64::channel_normalization {

/// The first sweep makes the sums s1 = sum(diff_dst), s2 = sum(diff_dst * (x - mean)) of each
/// channel. With r = 1 / sqrt(variance + epsilon), the second sweep computes
///     diff_src = diff_dst * a + b + (x - mean) * c,   a = scale * r.
///
/// Batch normalization, n elements in a channel:
///     b = -a * s1 / n,   c = -a * r^2 * s2 / n,   diff_shift = s1,   diff_scale = r * s2.
/// Group normalization, n elements in a group, S sums over the channels of the group:
///     b = -r * S(scale * s1) / n,   c = -r^3 * S(scale * s2) / n,
/// and summed over samples, diff_shift = sum(s1), diff_scale = sum(r * s2).
class channels_backward_t : public primitive_impl_t {
public:
    explicit channels_backward_t(const channels_plan_t &plan);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    friend class backward_execution_t;

    /// What the second sweep writes.
    struct outputs_t {
        bool diff_src, diff_src_1, is_non_temporal;
    };

    channel_pass_t make_sums_pass() const;
    channel_pass_t make_gradient_pass(const outputs_t &outputs) const;
    const channel_pass_t &gradient_pass(const outputs_t &outputs) const;

    const channels_plan_t &plan_;
    const channel_pass_t sums_;
    mutable std::array<jit::lazy_t<channel_pass_t>, 8> gradient_; // one for each outputs_t
};

class backward_execution_t : public channels_execution_t {
public:
    backward_execution_t(const channels_backward_t &primitive, const exec_ctx_t &ctx);
    /// Group normalization: gradients of scale and shift, summed over samples.
    void set_weight_gradients() const;

private:
    void begin(dim_t first, dim_t end) const override;
    /// Compute b and c, and gradients of scale and shift; those of a group are of one sample.
    bool finish_channels(const channel_range_t &range, bool is_last) const override;
    bool finish_groups(const group_range_t &groups, bool is_last) const override;
    void take_channels(const channel_range_t &range, const ready_sums_t &sums) const override;
    void take_groups(const group_range_t &groups, const double *first, const double *second,
            double size) const override;
    status_t combine(cpu::rank_message_t &message) const override { return message.combine_sums(); }
    status_t exchange() const override;
    /// The sum over samples of each channel's gradient, to be stored by `store(channel, sum)`.
    template <typename store_t>
    void add_up_samples(const double *of_samples, const store_t &store) const;
};

} // namespace kiln::x64::channel_normalization
