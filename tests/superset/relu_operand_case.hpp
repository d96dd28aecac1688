// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward behind a ReLU whose operand is an argument: one problem with its
// primitive and tensors, ready to be executed and judged.
#pragma once

#include "channel_normalization/model.hpp"
#include "channel_normalization/problem.hpp"
#include "common/operations/batch_normalization_pd.hpp"
#include "support/bindings.hpp"

namespace kiln::test::channel_normalization {

struct relu_operand_problem_t {
    problem_t problem; // backward, without a ReLU of its own
    std::string relu_format;
    dnnl_data_type_t relu_type = dnnl_f32;
    int in_place_with = 0; // which input diff_src overwrites; 0 for none

    void set_formats(const std::string &format) {
        problem.set_formats(format);
        relu_format = format;
    }
    void set_types(dnnl_data_type_t type) {
        problem.set_types(type);
        relu_type = type;
    }
};

std::string to_string(const relu_operand_problem_t &problem);
batch_normalization_desc_t desc_of(const relu_operand_problem_t &problem);

class relu_operand_case_t {
public:
    explicit relu_operand_case_t(const relu_operand_problem_t &problem, size_t implementation = 0);

    const_dnnl_primitive_t primitive() const { return primitive_; }
    tensor_t &tensor(int arg) { return bindings_[arg]; }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    arguments_t arguments() const { return bindings_.arguments(); }
    std::vector<int> outputs() const;
    void set_diff_dst(const std::vector<double> &values);

    dnnl_status_t execute() const { return arguments().execute(primitive_); }
    /// Judges an execution that was asked for these outputs only.
    testing::AssertionResult is_right(const std::vector<int> &outputs) const;
    testing::AssertionResult is_right() const { return is_right(outputs()); }

private:
    void bind_data();
    void bind_parameters();

    relu_operand_problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    operands_t operands_;
    gradient_t gradient_;
};

} // namespace kiln::test::channel_normalization
