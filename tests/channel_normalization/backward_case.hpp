// SPDX-License-Identifier: Apache-2.0
// One backward problem with its primitive and tensors, ready to be executed and judged.
#pragma once

#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

class backward_case_t {
public:
    /// By the implementation at this place among those that accept the problem. A fused ReLU's mask
    /// comes from `forward`, which has been executed. Throws if the library refuses the problem.
    backward_case_t(
            const problem_t &problem, const forward_case_t &forward, size_t implementation = 0);
    /// The forward pass is the best one, executed here.
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
    void bind_data(const forward_case_t &forward);
    void bind_stats();
    void bind_weights();

    problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    operands_t operands_;
    gradient_t gradient_;
};

/// The forward pass of a backward problem, executed by the implementation at this place.
forward_case_t executed_forward(const problem_t &problem, size_t implementation = 0);

/// Executes a problem by each implementation that accepts it, with a fused ReLU's mask by each
/// implementation of forward, and judges it; the message of a failure begins with the problem and
/// the implementations.
testing::AssertionResult is_backward_right(const problem_t &problem);

} // namespace kiln::test::channel_normalization
