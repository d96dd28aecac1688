// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on columns as a primitive: cuts the columns into chunks by the
// problem alone, so that gradients of scale and shift have the same bits for any number of threads.
#pragma once

#include <array>
#include <optional>

#include "common/operations/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/columns/column_execution.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/layer_normalization/column_backward_kernel.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"

namespace kiln::x64::layer_normalization {

class columns_backward_t : public primitive_impl_t {
public:
    explicit columns_backward_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

    /// Refuses plain layouts in which columns are not adjacent.
    static refusal_t check_adjacent(const layer_normalization_pd_t &pd);
    /// Bytes of the chunks' sums for diff_scale and diff_shift.
    static size_t scratchpad_size(const layer_normalization_pd_t &pd);

private:
    /// The operands of the plan, in order.
    enum column_operand_t : size_t {
        src_operand,
        diff_dst_operand,
        diff_src_operand,
        stat_operand,
        operand_count
    };

    /// How the columns are cut, and where the sums of a chunk lie in the scratchpad.
    struct chunks_t {
        chunks_t(const layer_normalization_pd_t &pd, const row_plan_t &plan, isa_t isa);

        dim_t count() const { return (units.count() + units_per_chunk - 1) / units_per_chunk; }
        dim_t of_unit(dim_t unit) const { return unit / units_per_chunk; }
        /// Floats in which a chunk keeps each lane's sums, and in which it leaves those of all.
        dim_t lane_sums() const { return 2 * cols * lanes; }
        dim_t sums() const { return 2 * cols; }

        column_units_t units;
        dim_t cols, lanes, units_per_chunk;
    };

    static column_backward_spec_t spec_of(
            const layer_normalization_pd_t &pd, dim_t line, bool weight_gradients);
    static std::array<const memory_desc_t *, operand_count> operands_of(
            const layer_normalization_pd_t &pd);
    static row_plan_t plan_of(const layer_normalization_pd_t &pd);

    const jit::executable_code_t &code_without_weight_gradients() const;
    column_backward_args_t common_args(const exec_ctx_t &ctx) const;
    void execute_chunk(const exec_ctx_t &ctx, const jit::executable_code_t &code,
            const column_backward_args_t &common, dim_t begin, dim_t end) const;
    /// Adds up the lanes of a chunk's sums.
    void add_up_lanes(const float *lane_sums, float *sums) const;

    const layer_normalization_pd_t &pd_;
    const row_plan_t plan_;
    const chunks_t chunks_;
    const column_backward_spec_t spec_;
    const jit::executable_code_t code_;
    // For executions that want neither diff_scale nor diff_shift; made when the first one comes.
    mutable jit::lazy_code_t data_only_code_;
    std::optional<chunk_totals_t> totals_;                       // where there are weight gradients
    dim_t src_size_, diff_dst_size_, diff_src_size_, stat_size_; // of an element
    int src_slot_, diff_dst_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::x64::layer_normalization
