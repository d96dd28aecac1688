// SPDX-License-Identifier: Apache-2.0
// Batches of matrices that are one matrix.

#include <utility>

#include "cpu/x64/matmul/tiles_plan.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;

void merge_batch(tiles_plan_t &plan, const operand_layouts_t &layouts) {
    const row_plan_t &batch = *plan.batch;
    if (batch.rows() == 1 || !batch.is_one_run()) return;
    const row_offsets_t &pitches = batch.pitches();
    if (pitches[plan.b_operand()] != 0 || pitches[plan.a_operand()] == 0) return;
    // The only row of a matrix has no distance to a next one.
    const auto merged = [&](matrix_layout_t layout, size_t operand) {
        if (plan.m == 1) layout.row = pitches[operand];
        return layout;
    };
    const auto continues = [&](const matrix_layout_t &layout, size_t operand) {
        return pitches[operand] == layout.row * plan.m && layout.has_near_rows();
    };
    const matrix_layout_t a = merged(plan.a, plan.a_operand());
    const matrix_layout_t c = merged(plan.c, dst_operand);
    if (!continues(a, plan.a_operand()) || !continues(c, dst_operand)) return;
    std::vector<matrix_layout_t> epilogue = plan.epilogue;
    for (size_t i = 0; i < epilogue.size(); ++i) {
        epilogue[i] = merged(epilogue[i], first_epilogue_operand + i);
        if (!continues(epilogue[i], first_epilogue_operand + i)) return;
    }
    const matrix_layout_t a_scale = merged(plan.groups.a_scale.layout, a_scale_operand);
    const matrix_layout_t a_zero = merged(plan.groups.a_zero.layout, a_zero_operand);
    if (!continues(a_scale, a_scale_operand) || !continues(a_zero, a_zero_operand)
            || pitches[b_scale_operand] != 0 || pitches[b_zero_operand] != 0)
        return;
    plan.groups.a_scale.layout = a_scale;
    plan.groups.a_zero.layout = a_zero;
    plan.a = a;
    plan.c = c;
    plan.epilogue = std::move(epilogue);
    plan.m *= batch.rows();
    plan.batch.emplace(layouts.mds().size(), std::vector<row_mode_t>(), origin_of(layouts.mds()));
}

} // namespace kiln::x64::matmul
