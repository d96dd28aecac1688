// SPDX-License-Identifier: Apache-2.0
// Gradients of any operation against differences of the library's own forward pass: what backward
// computes is the derivative of what forward computes, whatever formulas either uses.
#pragma once

#include "support/primitive_case.hpp"

namespace kiln::test {

/// With the loss L = sum of diff_dst * dst, a gradient is the derivative of L by its operand.
class finite_differences_t {
public:
    /// Both have been executed, `backward` with the operands of `forward`.
    finite_differences_t(primitive_case_t &forward, const primitive_case_t &backward);

    /// Compares the gradient `diff_arg` with differences of the loss along each element of `arg`.
    void expect_gradient(int arg, int diff_arg, double step, double tolerance);

private:
    double loss_at(int arg, const std::vector<double> &values);

    primitive_case_t &forward_;
    const primitive_case_t &backward_;
    std::vector<double> diff_dst_;
};

} // namespace kiln::test
