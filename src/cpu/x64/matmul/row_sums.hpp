// SPDX-License-Identifier: Apache-2.0
// Sums of groups of elements of rows of A.
#pragma once

#include <cstddef>

#include "common/types.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matmul {

/// What zero points of B are multiplied by: sums[group * pitch] = the sum of a row's elements of
/// the group, as `step` multiplies them, in an order that depends on the group's extent alone.
/// Floats; for integers s32, less by the group's zero point for each element.
struct row_groups_t {
    dim_t extent;   // elements of a group; the last one may have fewer
    dim_t k;        // elements of the row
    dim_t summed_k; // at least k: zeros that follow are summed, too
    dim_t pitch;
    const int32_t *zeros; // [group * pitch]
    bool is_signed;       // elements of 8 bits are s8
};
void sum_groups(matrix::step_t step, const std::byte *row, const row_groups_t &groups, void *sums);

} // namespace kiln::x64::matmul
