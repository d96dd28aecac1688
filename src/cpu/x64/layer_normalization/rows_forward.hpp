// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on rows as a primitive: shares the rows among threads and chooses the
// store path of an execution.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "common/operations/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/rows/weight_floats.hpp"

namespace kiln::x64::layer_normalization {

class rows_forward_t : public primitive_impl_t {
public:
    explicit rows_forward_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Bytes of scale and shift as floats, where they are converted first.
    static size_t scratchpad_size(const layer_normalization_pd_t &pd);

private:
    using kernel_function_t = void (*)(row_forward_args_t *);

    /// The operands of the plan, in order.
    enum row_operand_t : size_t {
        src_operand,
        dst_operand,
        stat_operand,
        src_1_operand,
        sum_operand,
        row_scale_operand,
        first_post_op_operand
    };

    /// Which outputs are stored past the caches.
    struct non_temporal_t {
        bool dst, sum;
    };

    static row_forward_spec_t spec_of(const layer_normalization_pd_t &pd, const row_plan_t &plan,
            const post_op_operands_t &post_ops);
    static std::vector<const memory_desc_t *> operands_of(
            const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops);
    const jit::executable_code_t &code_for(non_temporal_t outputs) const;
    /// Whether an output is stored past the caches if its tensor begins at `data`.
    bool is_non_temporal(const memory_desc_t &md, const void *data, dim_t pitch) const;
    /// For the tensors of an execution; null tensors are aligned ones.
    non_temporal_t non_temporal_outputs(const row_forward_args_t &args) const;
    row_forward_args_t common_args(const exec_ctx_t &ctx) const;
    void move_to(const row_run_t &run, const row_forward_args_t &common, row_forward_args_t &args,
            const exec_ctx_t &ctx) const;
    dim_t rows_per_task() const;

    const layer_normalization_pd_t &pd_;
    const post_op_operands_t post_ops_;
    const row_plan_t plan_;
    const row_forward_spec_t spec_;
    const bool can_move_sum_; // past the caches
    // For ordinary and for non-temporal stores of dst and of the sum, as addresses at execution
    // allow.
    mutable std::array<std::array<jit::lazy_code_t, 2>, 2> codes_;
    std::optional<weight_floats_t> weight_floats_;
    const dim_t row_bytes_;                 // of all tensors
    dim_t src_size_, dst_size_, stat_size_; // of an element
    dim_t src_1_size_, sum_size_, row_scale_size_;
    int src_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int src_scale_slot_, dst_scale_slot_;
    int src_1_slot_, sum_slot_, row_factor_slot_, row_scale_slot_;
};

} // namespace kiln::x64::layer_normalization
