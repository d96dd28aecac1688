// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward as only internal descriptors can ask for it: an operand added to src,
// the sum an output, rows with scales of their own, narrow statistics. One problem with its
// primitive and tensors, ready to be executed and judged.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"
#include "layer_normalization/model.hpp"
#include "layer_normalization/problem.hpp"
#include "support/bindings.hpp"

namespace kiln::test::layer_normalization {

/// The undefined type stands for what is not there.
struct fused_problem_t {
    problem_t problem; // forward
    dnnl_data_type_t src_1_type = dnnl_data_type_undef;
    dnnl_data_type_t sum_type = dnnl_data_type_undef;
    dnnl_data_type_t row_scale_type = dnnl_data_type_undef;
    std::string src_1_format, sum_format;
    std::string row_scale_format = "any";
    double row_factor = 1. / 127;
    // Which input the sum and dst overwrite; 0 for none.
    int sum_in_place_with = 0;
    int dst_in_place_with = 0;

    bool has_src_1() const { return src_1_type != dnnl_data_type_undef; }
    bool has_sum() const { return sum_type != dnnl_data_type_undef; }
    bool has_row_scale() const { return row_scale_type != dnnl_data_type_undef; }
    void set_formats(const std::string &format) {
        problem.src_format = problem.dst_format = src_1_format = sum_format = format;
    }
};

std::string to_string(const fused_problem_t &problem);
layer_normalization_desc_t desc_of(const fused_problem_t &problem);
/// The names of all implementations that accept it, best first.
std::vector<std::string> implementations(const fused_problem_t &problem);

class fused_case_t {
public:
    explicit fused_case_t(const fused_problem_t &problem, size_t implementation = 0);

    const_dnnl_primitive_t primitive() const { return primitive_; }
    arguments_t arguments() const { return bindings_.arguments(); }
    dnnl_status_t execute() const { return arguments().execute(primitive_); }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    /// The bits of all outputs.
    std::vector<std::vector<std::byte>> output_bits() const;
    /// Statistics and dst are judged by the sum that was stored, which is judged first.
    testing::AssertionResult is_right();

private:
    void bind_data();
    void bind_parameters();
    const tensor_t &sum() const;
    const tensor_t &dst() const;
    testing::AssertionResult judge_sum();
    testing::AssertionResult judge_stats(const forward_truth_t &truth) const;
    testing::AssertionResult judge_dst(const std::vector<interval_t> &y) const;
    /// What becomes of y by the scale that was found for its row, which is judged first.
    testing::AssertionResult apply_row_scales(std::vector<interval_t> &y) const;

    fused_problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    std::optional<post_op_operands_t> post_ops_;
    operands_t operands_;
    std::vector<double> src_1_;
};

/// By each implementation that accepts it.
testing::AssertionResult is_fused_right(const fused_problem_t &problem);

} // namespace kiln::test::layer_normalization
