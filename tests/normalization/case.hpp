// SPDX-License-Identifier: Apache-2.0
// One normalization, forward or backward, ready to be executed and judged.
#pragma once

#include <functional>

#include "normalization/operands.hpp"
#include "support/primitive_case.hpp"

namespace kiln::test::normalization {

class case_t : public primitive_case_t {
public:
    /// By the implementation at this place among those that accept the problem. The forward pass
    /// that a backward one needs for its hint and a fused ReLU's mask is the best one, executed
    /// here. Throws if the library refuses the problem.
    explicit case_t(const problem_t &problem, size_t implementation = 0);
    /// After this forward pass, which has been executed.
    case_t(const problem_t &problem, const case_t &forward, size_t implementation = 0);

    const problem_t &problem() const { return problem_; }
    const operands_t &operands() const { return operands_; }
    const gradient_t &gradient() const { return gradient_; }

    void refill(int arg, const std::vector<double> &values) override;
    /// Replaces src and, where backward reads the statistics of src, these.
    void set_src(const std::vector<double> &values);

    std::vector<expected_t> expected() const override;

private:
    case_t(const problem_t &problem, primitive_desc_handle_t primitive_desc, const case_t *forward);

    void bind_forward_data();
    void bind_backward_data(const case_t *forward);
    void bind_stats();
    void bind_weights();
    void add_input(int arg, const std::string &name, const std::vector<double> &values);
    void add_input(int arg, const std::string &name);
    void add_output(int arg, const std::string &name, int over = 0);
    std::vector<double> *modelled(int arg);
    std::vector<expected_t> expected_forward() const;
    std::vector<expected_t> expected_backward() const;
    std::vector<interval_t> after_attributes(const std::vector<interval_t> &normalized) const;

    problem_t problem_;
    std::optional<post_op_operands_t> post_ops_;
    operands_t operands_;
    gradient_t gradient_;
};

/// The forward pass of a backward problem, executed by the implementation at this place.
case_t executed_forward(const problem_t &problem, size_t implementation = 0);

using make_case_t = std::function<case_t()>;
/// Calls `check` with what makes a case of each implementation that accepts the problem, with a
/// fused ReLU's mask by each implementation of forward.
void for_each_maker(
        const problem_t &problem, const std::function<void(const make_case_t &)> &check);
/// Calls `check` with each of these cases.
void for_each_case(const problem_t &problem, const std::function<void(case_t &)> &check);

/// Executes each of these cases and judges it; the message of a failure begins with the problem and
/// the implementations.
testing::AssertionResult is_right(const problem_t &problem);

} // namespace kiln::test::normalization
