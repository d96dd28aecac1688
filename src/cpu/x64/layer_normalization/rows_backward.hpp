// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on rows as a primitive: cuts the rows into chunks by the problem
// alone, so that gradients of scale and shift have the same bits for any number of threads.
#pragma once

#include <array>
#include <optional>

#include "common/operations/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"
#include "cpu/x64/rows/weight_floats.hpp"

namespace kiln::x64::layer_normalization {

class rows_backward_t : public primitive_impl_t {
public:
    explicit rows_backward_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Bytes of the chunks' sums for diff_scale and diff_shift, and of scale as floats where it is
    /// converted first.
    static size_t scratchpad_size(const layer_normalization_pd_t &pd);

private:
    /// The operands of the plan, in order.
    enum row_operand_t : size_t {
        src_operand,
        diff_dst_operand,
        diff_src_operand,
        stat_operand,
        first_post_op_operand
    };

    /// What an execution asks for.
    struct outputs_t {
        bool diff_src;
        bool weights;         // diff_scale or diff_shift
        bool is_non_temporal; // diff_src past the caches
    };
    /// With all outputs that there are, stored in the ordinary way.
    static row_backward_spec_t spec_of(const layer_normalization_pd_t &pd, const row_plan_t &plan,
            const post_op_operands_t &post_ops);
    static std::vector<const memory_desc_t *> operands_of(
            const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops);
    static bool has_weight_sums(const layer_normalization_pd_t &pd);
    static bool converts_scale(const layer_normalization_pd_t &pd);
    /// Floats of all chunks' sums.
    static dim_t sums_size(const layer_normalization_pd_t &pd);
    static dim_t rows_per_chunk(const layer_normalization_pd_t &pd);

    const jit::executable_code_t &code_for(outputs_t outputs) const;
    /// Whether diff_src is stored past the caches if it begins at this address.
    bool is_non_temporal(const void *diff_src) const;
    bool is_in_place(const exec_ctx_t &ctx, const row_backward_args_t &common) const;
    row_backward_args_t common_args(const exec_ctx_t &ctx) const;
    void execute_chunk(const exec_ctx_t &ctx, const jit::executable_code_t &code,
            const row_backward_args_t &common, dim_t begin, dim_t end) const;
    dim_t chunks() const;
    /// Where the sums of a chunk for diff_scale and diff_shift are made.
    std::array<float *, 2> sums_of_chunk(const exec_ctx_t &ctx, dim_t chunk) const;
    void store_totals(const exec_ctx_t &ctx, int slot, dim_t which) const;

    const layer_normalization_pd_t &pd_;
    const post_op_operands_t post_ops_;
    const row_plan_t plan_;
    const row_backward_spec_t spec_;
    mutable jit::lazy_code_t codes_[2][2][2];                    // by outputs_t
    std::optional<chunk_totals_t> totals_;                       // where there are weight gradients
    std::optional<weight_floats_t> weight_floats_;               // where scale is converted
    dim_t src_size_, diff_dst_size_, diff_src_size_, stat_size_; // of an element
    int src_slot_, diff_dst_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::x64::layer_normalization
