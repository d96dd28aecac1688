// SPDX-License-Identifier: Apache-2.0
// diff_src = diff_dst * f'(src), with f' as a function of src or of dst.
#include <cmath>

#include "common/command_line/usage_error.hpp"
#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

struct parameters_t {
    double alpha = 0, beta = 0, min = 0, max = 0;
    bool of_dst = false;
    bool is_tanh_gelu = false;
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double step_at_zero(double x) { return x > 0 ? 1 : 0; }

double abs_slope(double x, const parameters_t &) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

double clamp_slope(double x, const parameters_t &p) { return x > p.min && x < p.max ? 1 : 0; }

double elu_slope(double x, const parameters_t &p) {
    if (x > 0) return 1;
    return p.of_dst ? x + p.alpha : p.alpha * std::exp(x);
}

double gelu_slope(double x, const parameters_t &p) {
    constexpr double sqrt_2_over_pi = 0.79788456080286535588, cubic = 0.044715;
    constexpr double sqrt_half = 0.70710678118654752440;
    if (!p.is_tanh_gelu)
        return 0.5 * (1 + std::erf(x * sqrt_half))
               + 0.5 * x * sqrt_2_over_pi * std::exp(-0.5 * x * x);
    const double t = std::tanh(sqrt_2_over_pi * x * (1 + cubic * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * sqrt_2_over_pi * (1 + 3 * cubic * x * x);
}

double hard_sigmoid_slope(double x, const parameters_t &p) {
    const double y = p.alpha * x + p.beta;
    return y > 0 && y < 1 ? p.alpha : 0;
}

double hard_swish_slope(double x, const parameters_t &) {
    const double y = x / 6 + 0.5;
    return y >= 1 ? 1 : y <= 0 ? 0 : x / 3 + 0.5;
}

double mish_slope(double x, const parameters_t &) {
    const double t = std::tanh(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
    return t + x * (1 - t * t) * logistic(x);
}

double relu_slope(double x, const parameters_t &) { return step_at_zero(x); }

double sigmoid_slope(double x, const parameters_t &p) {
    const double dst = p.of_dst ? x : logistic(x);
    return dst * (1 - dst);
}

double soft_plus_slope(double x, const parameters_t &p) { return logistic(p.beta * x); }

double sqrt_slope(double x, const parameters_t &p) { return 0.5 / (p.of_dst ? x : std::sqrt(x)); }

double tanh_slope(double x, const parameters_t &p) {
    const double dst = p.of_dst ? x : std::tanh(x);
    return 1 - dst * dst;
}

struct row_t {
    const char *kind;
    double (*slope)(double x, const parameters_t &parameters);
    bool may_be_of_dst;
    bool picks_values; // the slope is 0 or 1
};

constexpr row_t rows[] = {
        {"AbsBackward", abs_slope, false, true},
        {"ClampBackward", clamp_slope, true, true},
        {"EluBackward", elu_slope, true, false},
        {"GELUBackward", gelu_slope, false, false},
        {"HardSigmoidBackward", hard_sigmoid_slope, false, false},
        {"HardSwishBackward", hard_swish_slope, false, false},
        {"MishBackward", mish_slope, false, false},
        {"ReLUBackward", relu_slope, true, true},
        {"SigmoidBackward", sigmoid_slope, true, false},
        {"SoftPlusBackward", soft_plus_slope, false, false},
        {"SqrtBackward", sqrt_slope, true, false},
        {"TanhBackward", tanh_slope, true, false},
};

const row_t &row_of(const op_t &op) {
    for (const row_t &row : rows)
        if (op.kind == row.kind) return row;
    throw bad_value_t(op.kind, "no gradient of an elementwise operation");
}

parameters_t parameters_of(const op_t &op, const row_t &row) {
    const auto number = [&](const char *name, double standard) {
        return static_cast<double>(static_cast<float>(op.get<double>(name, standard)));
    };
    return {number("alpha", 1), number("beta", 1), number("min", 0), number("max", 0),
            row.may_be_of_dst && op.get<bool>("use_dst", true),
            op.text("mode", "gelu_erf") == "gelu_tanh"};
}

// alpha * x + beta is rounded before it is compared, so the position of x relative to a step has
// the same uncertainty.
estimate_t where_steps_are(const row_t &row, const parameters_t &parameters, estimate_t x) {
    const bool is_swish = row.slope == hard_swish_slope;
    if (!is_swish && row.slope != hard_sigmoid_slope) return x;
    const double offset = is_swish ? 3 : std::fabs(parameters.beta / parameters.alpha);
    x.tolerance += 4 * f32_roundoff * (std::fabs(x.value) + offset);
    return x;
}

} // namespace

void compute_eltwise_backward(const step_t &step) {
    const row_t &row = row_of(step.op);
    const parameters_t parameters = parameters_of(step.op, row);
    const std::vector<estimate_t> &src = step.inputs[0]->elements;
    const std::vector<estimate_t> &diff_dst = step.inputs[1]->elements;
    std::vector<estimate_t> &diff_src = step.outputs[0]->elements;
    const auto f = [&](double x) { return row.slope(x, parameters); };
    for_each_index(step.outputs[0]->count(), [&](dim_t i) {
        if (row.picks_values) {
            diff_src[i] = combined(
                    diff_dst[i], src[i],
                    [&](double gradient, double x) { return f(x) == 0 ? 0 : f(x) * gradient; }, 0);
            return;
        }
        estimate_t slope = mapped(where_steps_are(row, parameters, src[i]), f, 32);
        // As for functions: a polynomial and terms of order 1 that cancel, such as 1 - dst, and the
        // range reduction of an exponential.
        slope.tolerance += f32_roundoff * (16 + 16 * std::min(std::fabs(src[i].value), 4.));
        diff_src[i] = product_of(slope, diff_dst[i]);
    });
}

} // namespace benchdnn::graph
