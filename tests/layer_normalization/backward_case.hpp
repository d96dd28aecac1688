// SPDX-License-Identifier: Apache-2.0
// One backward problem with its primitive and tensors, ready to be executed and judged.
#pragma once

#include <vector>

#include "layer_normalization/model.hpp"
#include "layer_normalization/problem.hpp"
#include "support/bindings.hpp"

namespace kiln::test::layer_normalization {

class backward_case_t {
public:
    /// Throws if the library refuses the problem.
    explicit backward_case_t(const problem_t &problem);

    const problem_t &problem() const { return problem_; }
    const_dnnl_primitive_desc_t primitive_desc() const { return primitive_desc_; }
    const_dnnl_primitive_t primitive() const { return primitive_; }
    bindings_t &bindings() { return bindings_; }
    const bindings_t &bindings() const { return bindings_; }
    tensor_t &tensor(int arg) { return bindings_[arg]; }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    arguments_t arguments() const { return bindings_.arguments(); }

    /// The outputs that the problem has.
    std::vector<int> outputs() const;

    /// Replaces src, and the statistics with what the model says of it.
    void set_src(const std::vector<double> &values);
    void set_diff_dst(const std::vector<double> &values);

    dnnl_status_t execute() const { return arguments().execute(primitive_); }

    /// Judges an execution: every output, and that nothing else was written.
    testing::AssertionResult is_right() const { return is_right(outputs()); }

    /// Judges one that was asked for these outputs only.
    testing::AssertionResult is_right(const std::vector<int> &outputs) const;

private:
    void bind_stats();
    void bind_weights();

    problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    operands_t operands_;
    std::vector<double> diff_dst_;
};

/// Executes a problem and judges it; the message of a failure begins with the problem.
testing::AssertionResult is_backward_right(const problem_t &problem);

} // namespace kiln::test::layer_normalization
