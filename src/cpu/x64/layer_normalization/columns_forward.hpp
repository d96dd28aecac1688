// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on columns as a primitive: shares the columns among threads.
#pragma once

#include <vector>

#include "common/operations/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/columns/column_execution.hpp"
#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"

namespace kiln::x64::layer_normalization {

class columns_forward_t : public primitive_impl_t {
public:
    explicit columns_forward_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Refuses plain layouts in which columns are not adjacent, and post-ops on such.
    static refusal_t check_operands(const layer_normalization_pd_t &pd);

private:
    using kernel_function_t = void (*)(column_forward_args_t *);
    /// The operands of the plan, in order.
    enum column_operand_t : size_t {
        src_operand,
        dst_operand,
        stat_operand,
        first_post_op_operand
    };

    static std::vector<const memory_desc_t *> operands_of(
            const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops);
    static column_forward_spec_t spec_of(
            const layer_normalization_pd_t &pd, dim_t line, const post_op_operands_t &post_ops);
    column_forward_args_t common_args(const exec_ctx_t &ctx) const;
    dim_t units_per_task() const;

    const layer_normalization_pd_t &pd_;
    const post_op_operands_t post_ops_;
    const row_plan_t plan_;
    const column_forward_spec_t spec_;
    const column_units_t units_;
    const jit::executable_code_t code_;
    dim_t src_size_, dst_size_, stat_size_; // of an element
    int src_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int src_scale_slot_, dst_scale_slot_;
};

} // namespace kiln::x64::layer_normalization
