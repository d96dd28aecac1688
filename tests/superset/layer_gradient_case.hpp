// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward as only internal descriptors can ask for it: statistics that are
// not given, post-ops on diff_src. One problem with its primitive and tensors, ready to be executed
// and judged.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"
#include "layer_normalization/model.hpp"
#include "layer_normalization/problem.hpp"
#include "support/bindings.hpp"

namespace kiln::test::layer_normalization {

struct gradient_problem_t {
    problem_t problem; // backward; its post-ops are diff_src's
    bool recomputes_stats = false;
    int in_place_with = 0; // which input diff_src overwrites; 0 for none

    void set_types(dnnl_data_type_t type) {
        problem.src_type = problem.dst_type = problem.diff_src_type = type;
    }
    void set_formats(const std::string &format) {
        problem.src_format = problem.dst_format = problem.diff_src_format = format;
    }
};

std::string to_string(const gradient_problem_t &problem);
layer_normalization_desc_t desc_of(const gradient_problem_t &problem);
/// The names of all implementations that accept it, best first.
std::vector<std::string> implementations(const gradient_problem_t &problem);

class gradient_case_t {
public:
    explicit gradient_case_t(const gradient_problem_t &problem, size_t implementation = 0);

    const_dnnl_primitive_t primitive() const { return primitive_; }
    tensor_t &tensor(int arg) { return bindings_[arg]; }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    arguments_t arguments() const { return bindings_.arguments(); }
    const operands_t &operands() const { return operands_; }
    const std::vector<double> &diff_dst() const { return diff_dst_; }
    std::vector<int> outputs() const;

    dnnl_status_t execute() const { return arguments().execute(primitive_); }
    /// Judges an execution that was asked for these outputs only.
    testing::AssertionResult is_right(const std::vector<int> &outputs) const;
    testing::AssertionResult is_right() const { return is_right(outputs()); }

private:
    void bind_data();
    void bind_parameters();
    backward_truth_t truth() const;

    gradient_problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    std::optional<post_op_operands_t> post_ops_;
    operands_t operands_; // without statistics where they are recomputed
    std::vector<double> diff_dst_;
};

/// By each implementation that accepts it.
testing::AssertionResult is_gradient_right(const gradient_problem_t &problem);

} // namespace kiln::test::layer_normalization
