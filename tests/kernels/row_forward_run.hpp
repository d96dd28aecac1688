// SPDX-License-Identifier: Apache-2.0
// A kernel of layer normalization forward on rows, with operands to run it on.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_tensor.hpp"

namespace kiln::x64::layer_normalization::test {

/// Whose place the sum takes.
enum class sum_place_t { own, of_src, of_src_1 };

/// What a test asks of a kernel and its operands.
struct forward_case_t {
    isa_t isa = isa_t::avx2;
    dim_t rows = 1;
    dim_t rows_unit = 1; // each call has a multiple of so many
    dim_t cols = 1;
    data_type_t src_type = dnnl_f32;
    data_type_t dst_type = dnnl_f32;
    data_type_t scale_type = dnnl_data_type_undef;
    data_type_t shift_type = dnnl_data_type_undef;
    statistics_t statistics = statistics_t::computed_and_stored;
    bool is_rms = false;
    float epsilon = 1e-5f;
    bool has_src_scale = false;
    bool has_dst_scale = false;
    bool is_streamed = false;
    bool is_in_place = false; // where src and dst are of one type
    data_type_t stat_type = dnnl_f32;
    data_type_t src_1_type = dnnl_data_type_undef;
    data_type_t sum_type = dnnl_data_type_undef;
    sum_place_t sum_place = sum_place_t::own; // another one's is of its type
    data_type_t row_scale_type = dnnl_data_type_undef;
    bool keeps_results = false;
    std::vector<jit::post_op_link_t> post_ops = {}; // without operands
    dim_t gap = 0;      // elements between the rows of src; other operands have other gaps
    dim_t nan_col = -1; // whose element of src is NaN in the middle row
    placement_t placement = placement_t::ends_at_guard;

    forward_spec_t spec() const;
    std::string describe() const;
};

/// The operands hold canaries until they are filled.
class forward_run_t {
public:
    explicit forward_run_t(const forward_case_t &tested);

    /// All rows in one call.
    void run() { run(0, tested_.rows); }
    /// One call on the rows from `first` on.
    void run(dim_t first, dim_t rows);

    const forward_case_t &tested() const { return tested_; }
    row_tensor_t &dst() { return dst_ ? *dst_ : src; }
    row_tensor_t &sum();
    /// Whether dst, or the sum, is stored with non-temporal stores.
    bool has_non_temporal_dst() { return is_non_temporal(dst(), forward_spec_t::dst); }
    bool has_non_temporal_sum() { return is_non_temporal(sum(), forward_spec_t::sum); }
    /// What a test returns for a wrong result of the last call, with values drawn from `seed`.
    ::testing::AssertionResult failure(uint64_t seed, const std::string &reason) const;
    /// Nothing but results was written.
    bool has_intact_gaps();
    /// The bits of all results of a row.
    std::vector<std::byte> result_bits(dim_t row);

private:
    bool is_non_temporal(const row_tensor_t &tensor, size_t operand) const;
    /// A tensor for an operand of the spec: as many rows as the case has, of `cols` elements (0: a
    /// whole row); or one row.
    row_tensor_t rows_of(size_t operand, dim_t cols = 0) const;
    row_tensor_t row_of(size_t operand, dim_t cols) const;

    const forward_case_t tested_;
    const forward_spec_t spec_;
    std::array<jit::lazy_code_t, 4> codes_;          // for ordinary and for non-temporal stores
    const jit::executable_code_t *called_ = nullptr; // by the last call

public:
    row_tensor_t src, mean, variance, scale, shift, src_scale, dst_scale;
    row_tensor_t src_1, row_scale, row_factor;
    bool may_use_non_temporal_stores = true;

private:
    std::optional<row_tensor_t> dst_, sum_;
};

} // namespace kiln::x64::layer_normalization::test
