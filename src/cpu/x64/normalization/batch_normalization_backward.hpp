// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward as a primitive: which sweeps there are, and when.
#pragma once

#include <array>
#include <optional>

#include "common/batch_normalization_pd.hpp"
#include "common/primitive.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/normalization/channel_execution.hpp"

namespace kiln::x64::normalization {

/// With r = 1 / sqrt(variance + epsilon), a first sweep makes for each channel the sums
///     s1 = sum(diff_dst),   s2 = sum(diff_dst * (x - mean)),
/// which are diff_shift and, times r, diff_scale; a second one makes
///     diff_src = scale * r * (diff_dst - s1 / n - (x - mean) * r * r * s2 / n).
/// Where statistics are constants, diff_src = scale * r * diff_dst.
class batch_normalization_backward_t : public primitive_impl_t {
public:
    batch_normalization_backward_t(const batch_normalization_pd_t &pd, channel_plan_t plan);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Gives a plan or says why there is none.
    static refusal_t make_plan(
            const batch_normalization_pd_t &pd, std::optional<channel_plan_t> &plan);
    static size_t scratchpad_size(const channel_plan_t &plan);

private:
    /// The operands of the plan, in order.
    enum plan_operand_t : size_t {
        src_operand,
        diff_dst_operand,
        diff_src_operand,
        diff_src_1_operand
    };
    struct execution_t;
    /// What a second sweep writes.
    struct outputs_t {
        bool diff_src, diff_src_1, is_non_temporal;
    };

    static size_t mask_operand(const batch_normalization_pd_t &pd);
    channel_pass_t make_gradient_pass(const outputs_t &outputs) const;
    const channel_pass_t &gradient_pass(const outputs_t &outputs) const;
    bool is_non_temporal(const channel_bases_t &bases) const;
    execution_t begin_execution(const exec_ctx_t &ctx) const;
    void begin(const execution_t &e, dim_t unit) const;
    void finish(const execution_t &e, const channel_group_t &group) const;

    const batch_normalization_pd_t &pd_;
    const channel_plan_t plan_;
    const channel_arrays_t arrays_;
    std::optional<channel_pass_t> sums_;
    mutable std::array<jit::lazy_t<channel_pass_t>, 8> gradient_; // for what is written
    dim_t src_size_, diff_dst_size_, diff_src_size_;              // of an element
    dim_t bytes_;                                                 // of the tensors
    int src_slot_, diff_dst_slot_, mask_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_src_1_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::x64::normalization
