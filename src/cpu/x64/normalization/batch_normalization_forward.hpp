// SPDX-License-Identifier: Apache-2.0
// Batch normalization forward as a primitive: which sweeps there are, and when.
#pragma once

#include <array>
#include <optional>

#include "common/batch_normalization_pd.hpp"
#include "common/primitive.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/normalization/channel_execution.hpp"
#include "cpu/x64/normalization/channel_pass.hpp"

namespace kiln::x64::normalization {

/// A first sweep sums x - K and (x - K)^2 of each channel, K being one of its elements (moments), a
/// second one normalizes, last chunks first, as they may still be in the caches. A unit goes
/// through both at once where there are units enough for all threads, else all of them go through
/// one after the other.
class batch_normalization_forward_t : public primitive_impl_t {
public:
    batch_normalization_forward_t(const batch_normalization_pd_t &pd, channel_plan_t plan);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Gives a plan or says why there is none.
    static refusal_t make_plan(
            const batch_normalization_pd_t &pd, std::optional<channel_plan_t> &plan);
    static size_t scratchpad_size(const channel_plan_t &plan);

private:
    /// The operands of the plan, in order.
    enum plan_operand_t : size_t { src_operand, dst_operand, src_1_operand };
    struct execution_t;

    static size_t mask_operand(const batch_normalization_pd_t &pd);
    const channel_pass_t &normalize_pass(bool is_non_temporal) const;
    bool is_non_temporal(const channel_bases_t &bases) const;
    execution_t begin_execution(const exec_ctx_t &ctx) const;
    /// K of the channels of a unit.
    void sample(const execution_t &e, dim_t unit) const;
    /// From the sums of some channels to their statistics. False where a K is far from its mean: it
    /// is another one then.
    bool finish(const execution_t &e, const channel_group_t &group, bool is_last) const;
    void take_given(const execution_t &e, dim_t unit) const;
    void set_values(const execution_t &e, const channel_group_t &group, const float *mean,
            const float *variance) const;

    const batch_normalization_pd_t &pd_;
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
};

} // namespace kiln::x64::normalization
