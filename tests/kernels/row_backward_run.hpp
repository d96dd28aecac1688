// SPDX-License-Identifier: Apache-2.0
// A kernel of layer normalization backward on rows, with operands to run it on.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"
#include "kernels/row_tensor.hpp"

namespace kiln::x64::layer_normalization::test {

enum class place_t { own, of_src, of_diff_dst, of_operand };

/// A post-op on diff_src and where its operand's rows are: none for eltwise.
struct backward_post_op_t {
    alg_kind_t alg;
    float alpha = 0, beta = 0; // eltwise
    data_type_t operand_type = dnnl_data_type_undef;
    bool per_lane = false;        // an element for each column, or one
    bool is_same_of_rows = false; // or an element, or elements, for each row
};

/// What a test asks of a kernel and its operands.
struct backward_case_t {
    isa_t isa = isa_t::avx2;
    dim_t rows = 1;
    dim_t rows_unit = 1; // each call has a multiple of so many
    dim_t cols = 1;
    data_type_t src_type = dnnl_f32;
    data_type_t diff_dst_type = dnnl_f32;
    data_type_t diff_src_type = dnnl_f32;
    data_type_t scale_type = dnnl_data_type_undef;
    bool is_rms = false;
    bool has_constant_statistics = false;
    bool has_diff_src = true;
    bool has_diff_scale = true;
    bool has_diff_shift = true;
    float epsilon = 1e-5f;
    bool is_streamed = false;
    bool recomputes_statistics = false;
    data_type_t stat_type = dnnl_f32; // where they are given
    std::vector<backward_post_op_t> post_ops = {};
    // Others where the types agree; of_operand is the first post-op's, of full extent.
    place_t diff_src_place = place_t::own;
    dim_t gap = 0;      // elements between the rows of src; other operands have other gaps
    dim_t nan_col = -1; // whose element of diff_dst is NaN in the middle row
    placement_t placement = placement_t::ends_at_guard;

    backward_spec_t spec() const;
    std::string describe() const;
};

/// The operands hold canaries until they are filled.
class backward_run_t {
public:
    explicit backward_run_t(const backward_case_t &tested);

    /// All rows in one call.
    void run() { run(0, tested_.rows); }
    /// One call on the rows from `first` on.
    void run(dim_t first, dim_t rows);

    const backward_case_t &tested() const { return tested_; }
    row_tensor_t &diff_src();
    /// Whether diff_src is stored with non-temporal stores.
    bool has_non_temporal_diff_src();
    /// What a test returns for a wrong result of the last call, with values drawn from `seed`.
    ::testing::AssertionResult failure(uint64_t seed, const std::string &reason) const;
    /// Nothing but results was written.
    bool has_intact_gaps();

private:
    /// A tensor for an operand of the spec: as many rows as the case has, of `cols` elements.
    row_tensor_t rows_of(size_t operand, dim_t cols) const;

    const backward_case_t tested_;
    const backward_spec_t spec_;
    std::array<jit::lazy_code_t, 2> codes_;          // for ordinary and for non-temporal stores
    const jit::executable_code_t *called_ = nullptr; // by the last call

public:
    row_tensor_t src, diff_dst, mean, variance, scale, diff_scale, diff_shift;
    std::deque<row_tensor_t> operands; // of the post-ops that have one
    bool may_use_non_temporal_stores = true;

private:
    std::optional<row_tensor_t> diff_src_;
};

} // namespace kiln::x64::layer_normalization::test
