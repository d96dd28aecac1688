// SPDX-License-Identifier: Apache-2.0
// Functions of one element, with the arithmetic of post-ops.
#include "common/attributes/post_ops_reference.hpp"
#include "common/command_line/usage_error.hpp"
#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

struct row_t {
    const char *kind;
    dnnl_alg_kind_t algorithm;
    // The attributes for alpha and beta, or constants.
    const char *alpha_name, *beta_name;
    double alpha, beta;
};

constexpr row_t rows[] = {
        {"Abs", dnnl_eltwise_abs, "", "", 0, 0},
        {"Clamp", dnnl_eltwise_clip_v2, "min", "max", 0, 0},
        {"Elu", dnnl_eltwise_elu, "alpha", "", 1, 0},
        {"Exp", dnnl_eltwise_exp, "", "", 0, 0},
        {"GELU", dnnl_eltwise_gelu_erf, "", "", 0, 0},
        {"HardSigmoid", dnnl_eltwise_hardsigmoid, "alpha", "beta", 0, 0},
        {"HardSwish", dnnl_eltwise_hardswish, "", "", 1. / 6, 0.5},
        {"LeakyReLU", dnnl_eltwise_relu, "alpha", "", 0, 0},
        {"Log", dnnl_eltwise_log, "", "", 0, 0},
        {"Mish", dnnl_eltwise_mish, "", "", 0, 0},
        {"Pow", dnnl_eltwise_pow, "", "beta", 1, 0},
        {"ReLU", dnnl_eltwise_relu, "", "", 0, 0},
        {"Reciprocal", dnnl_eltwise_pow, "", "", 1, -1},
        {"Round", dnnl_eltwise_round, "", "", 0, 0},
        {"Sigmoid", dnnl_eltwise_logistic, "", "", 0, 0},
        {"SoftPlus", dnnl_eltwise_soft_relu, "beta", "", 1, 0},
        {"Sqrt", dnnl_eltwise_sqrt, "", "", 0, 0},
        {"Square", dnnl_eltwise_square, "", "", 0, 0},
        {"Tanh", dnnl_eltwise_tanh, "", "", 0, 0},
};

post_op_t function_of(const op_t &op) {
    for (const row_t &row : rows) {
        if (op.kind != row.kind) continue;
        post_op_t function;
        function.algorithm = row.algorithm;
        if (op.kind == "GELU" && op.text("mode", "gelu_erf") == "gelu_tanh")
            function.algorithm = dnnl_eltwise_gelu_tanh;
        // Attributes have f32 precision.
        function.alpha = static_cast<float>(op.get<double>(row.alpha_name, row.alpha));
        function.beta = static_cast<float>(op.get<double>(row.beta_name, row.beta));
        return function;
    }
    throw bad_value_t(op.kind, "no elementwise operation");
}

// Functions that do not round.
bool picks_values(const post_op_t &function) {
    switch (function.algorithm) {
    case dnnl_eltwise_abs:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_round: return true;
    case dnnl_eltwise_relu: return function.alpha == 0;
    default: return false;
    }
}

} // namespace

void compute_eltwise(const step_t &step) {
    const post_op_t function = function_of(step.op);
    const bool is_exact = picks_values(function);
    const std::vector<estimate_t> &src = step.inputs[0]->elements;
    std::vector<estimate_t> &dst = step.outputs[0]->elements;
    const auto f = [&](double x) {
        return eltwise_value(function.algorithm, x, function.alpha, function.beta);
    };
    for_each_index(step.outputs[0]->count(), [&](dim_t i) {
        // Its partition may convert the result to 16 bits next.
        dst[i] = is_exact ? mapped(src[i], f, 0) : eltwise_estimate(function, src[i], dnnl_bf16);
    });
}

} // namespace benchdnn::graph
