// SPDX-License-Identifier: Apache-2.0
// One forward problem with its primitive and tensors, ready to be executed and judged.
#pragma once

#include "channel_normalization/model.hpp"
#include "channel_normalization/problem.hpp"
#include "support/bindings.hpp"

namespace kiln::test::channel_normalization {

class forward_case_t {
public:
    /// By the implementation at this place among those that accept the problem. Throws if there is
    /// none.
    explicit forward_case_t(const problem_t &problem, size_t implementation = 0);

    const problem_t &problem() const { return problem_; }
    const_dnnl_primitive_desc_t primitive_desc() const { return primitive_desc_; }
    const_dnnl_primitive_t primitive() const { return primitive_; }
    bindings_t &bindings() { return bindings_; }
    const bindings_t &bindings() const { return bindings_; }
    tensor_t &tensor(int arg) { return bindings_[arg]; }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    arguments_t arguments() const { return bindings_.arguments(); }

    void set_src(const std::vector<double> &values);
    void set_stats(const std::vector<double> &mean, const std::vector<double> &variance);

    dnnl_status_t execute() const { return arguments().execute(primitive_); }

    /// Where the fused ReLU passed, in row-major order; to be asked after an execution without
    /// post-ops.
    std::vector<bool> passes() const;

    /// Judges an execution: every output, and that nothing else was written.
    testing::AssertionResult is_right() const;

private:
    void bind_data();
    void bind_stats();
    void bind_weights();
    std::vector<interval_t> dst_truth(const std::vector<interval_t> &normalized) const;

    problem_t problem_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
    post_op_operands_t post_ops_;
    operands_t operands_;
};

/// Executes a problem by each implementation that accepts it and judges it; the message of a
/// failure begins with the problem and the implementation.
testing::AssertionResult is_forward_right(const problem_t &problem);

} // namespace kiln::test::channel_normalization
