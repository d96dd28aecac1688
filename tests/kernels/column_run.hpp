// SPDX-License-Identifier: Apache-2.0
// Kernels of layer normalization on columns, with operands to run them on and what the results
// should be, in double.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "cpu/x64/layer_normalization/column_kernels.hpp"
#include "kernels/column_operands.hpp"
#include "kernels/row_model.hpp"

namespace kiln::x64::layer_normalization::test {

/// What a test asks of a kernel and its operands. Fields that the direction has no use for are
/// ignored.
struct column_case_t {
    isa_t isa = isa_t::avx2;
    dim_t steps = 1;
    dim_t columns = 1; // a whole line
    data_type_t src_type = dnnl_f32;
    data_type_t dst_type = dnnl_f32; // or that of diff_src
    data_type_t diff_dst_type = dnnl_f32;
    data_type_t stat_type = dnnl_f32; // of mean and variance
    data_type_t scale_type = dnnl_data_type_undef;
    data_type_t shift_type = dnnl_data_type_undef;
    bool is_rms = false;
    float epsilon = 1e-5f;
    bool non_temporal = false; // dst or diff_src is aligned for it
    dim_t gap = 0;             // elements between the steps of src; other operands have other gaps
    placement_t placement = placement_t::ends_at_guard;
    uint64_t seed = 1;
    dim_t nan_column = -1; // whose first element of src, or of diff_dst, is NaN
    // Forward
    statistics_t statistics = statistics_t::computed_and_stored;
    bool has_src_scale = false;
    bool has_dst_scale = false;
    bool has_post_ops = false; // + operand of full extent, * operand with one element for each step
    // Backward
    bool has_constant_statistics = false;
    bool has_weight_gradients = true;
    bool wants_diff_src = true;

    /// What both directions show when a test fails.
    std::string describe() const;
};

/// Runs a forward or a backward kernel and compares all results, statistics included. The columns
/// are walked in calls of so many tiles (0: one call).
::testing::AssertionResult forward_is_right(const column_case_t &tested, dim_t tiles_per_call = 0);
::testing::AssertionResult backward_is_right(const column_case_t &tested, dim_t tiles_per_call = 0);

} // namespace kiln::x64::layer_normalization::test
