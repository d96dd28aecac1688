// SPDX-License-Identifier: Apache-2.0
// Functions of two operands that broadcast, and Select.
#include <cmath>

#include "common/command_line/usage_error.hpp"
#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

struct row_t {
    const char *kind;
    double (*function)(double a, double b);
    bool is_exact;   // the result is one of the operands, or a boolean
    bool may_cancel; // both operands are rounded before they are subtracted
};

constexpr row_t rows[] = {
        {"Add", [](double a, double b) { return a + b; }, false, true},
        {"Divide", [](double a, double b) { return a / b; }, false, false},
        {"GreaterEqual", [](double a, double b) { return a >= b ? 1. : 0.; }, true, false},
        {"Maximum", [](double a, double b) { return std::isnan(a) ? a : std::fmax(a, b); }, true,
                false},
        {"Minimum", [](double a, double b) { return std::isnan(a) ? a : std::fmin(a, b); }, true,
                false},
        {"Multiply", [](double a, double b) { return a * b; }, false, false},
        {"SquaredDifference", [](double a, double b) { return (a - b) * (a - b); }, false, false},
        {"Subtract", [](double a, double b) { return a - b; }, false, true},
};

const row_t &row_of(const op_t &op) {
    for (const row_t &row : rows)
        if (op.kind == row.kind) return row;
    throw bad_value_t(op.kind, "no operation of two operands");
}

void compute(const row_t &row, const value_t &a, const broadcast_index_t &a_index, const value_t &b,
        const broadcast_index_t &b_index, value_t &dst) {
    for_each_index(dst.count(), [&](dim_t i) {
        const estimate_t x = a.elements[a_index(i)], y = b.elements[b_index(i)];
        estimate_t &result = dst.elements[i];
        result = combined(x, y, row.function, row.is_exact ? 0 : 4);
        if (row.may_cancel)
            result.tolerance += f32_roundoff * (std::fabs(x.value) + std::fabs(y.value));
    });
}

} // namespace

void compute_binary(const step_t &step) {
    const value_t &a = *step.inputs[0], &b = *step.inputs[1];
    value_t &dst = *step.outputs[0];
    compute(row_of(step.op), a, {a.dims, dst.dims}, b, {b.dims, dst.dims}, dst);
}

void compute_bias_add(const step_t &step) {
    const value_t &src = *step.inputs[0];
    value_t &dst = *step.outputs[0];
    const int last = static_cast<int>(dst.dims.size()) - 1;
    const int channels = step.op.is_channels_last() ? last : 1;
    compute(rows[0], src, {src.dims, dst.dims}, *step.inputs[1], {channels, dst.dims}, dst);
}

void compute_select(const step_t &step) {
    const value_t &condition = *step.inputs[0], &a = *step.inputs[1], &b = *step.inputs[2];
    value_t &dst = *step.outputs[0];
    const broadcast_index_t of_condition(condition.dims, dst.dims);
    const broadcast_index_t of_a(a.dims, dst.dims), of_b(b.dims, dst.dims);
    for_each_index(dst.count(), [&](dim_t i) {
        const estimate_t which = condition.elements[of_condition(i)];
        const estimate_t x = a.elements[of_a(i)], y = b.elements[of_b(i)];
        dst.elements[i] = which.value != 0 ? x : y;
        // The condition is a comparison that rounding decides.
        if (which.tolerance > 0) dst.elements[i].tolerance += std::fabs(x.value - y.value);
    });
}

} // namespace benchdnn::graph
