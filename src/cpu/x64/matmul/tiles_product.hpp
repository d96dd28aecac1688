// SPDX-License-Identifier: Apache-2.0
// What a descriptor says of its product: groups along K, and what the choice of a step depends on.
#pragma once

#include "common/operations/matmul_pd.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/matmul/tiles_choice.hpp"
#include "cpu/x64/matrix/packing.hpp"

namespace kiln::x64::matmul {

/// Values for elements along K: those of B have a row for each group or `run` of groups, those of A
/// a column.
struct group_values_t {
    matrix::matrix_layout_t layout;
    dim_t run = 1; // groups that share a value
};

/// Scales and zero points that differ from group to group along K, and zero points of weights.
struct group_plan_t {
    dim_t extent = 0; // elements of a group along K; 0: each block of K is a group
    group_values_t b_scale, b_zero, a_scale, a_zero;
};

/// Axes of src and dst; K is along `n_axis` of src and `m_axis` of weights.
inline int m_axis_of(const matmul_pd_t &pd) { return pd.ndims() - 2; }
inline int n_axis_of(const matmul_pd_t &pd) { return pd.ndims() - 1; }

/// A matrix whose rows are along one axis of a tensor and whose columns are along another. A single
/// column of half bytes is a column of adjacent elements: its rows would begin within a byte.
matrix::matrix_layout_t layout_of(const memory_desc_t &md, int rows, int columns);

/// Whether scales of src or weights differ along K.
bool has_group_scale(const matmul_pd_t &pd, int arg);
inline bool has_zero_points(const matmul_pd_t &pd, int arg) {
    return pd.attr().zero_points.contains(arg);
}
/// A dst whose columns are adjacent is the transposed product, in which weights are A.
bool has_transposed_dst(const matmul_pd_t &pd);
/// Whether weights may be A: those that are converted are B, as are those whose zero points
/// have sums of A's rows.
bool can_be_transposed(const matmul_pd_t &pd);

/// Elements along K that share each scale and each zero point: a group is what divides all of
/// these runs.
refusal_t find_groups(const matmul_pd_t &pd, group_plan_t &groups);
/// What the choice depends on, where A is src, or weights.
product_t product_of(const matmul_pd_t &pd, isa_t isa, const group_plan_t &groups, bool is_swapped);
/// Rows of A in place that stay in the first-level cache.
dim_t near_rows(const matrix::matrix_layout_t &a);
/// The rows of the tallest tile for which A need not be packed. No limit for what is packed in any
/// case.
dim_t most_rows_in_place(matrix::step_t step, const matrix::matrix_layout_t &a);

} // namespace kiln::x64::matmul
