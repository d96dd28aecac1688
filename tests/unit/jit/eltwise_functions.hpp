// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, their truth in long double, and parameters that they are tested with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "eltwise/eltwise_bounds.hpp"

namespace kiln::test {

using wide_t = long double;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A function of x with parameters.
struct function_t {
    const char *name;
    std::vector<dnnl_alg_kind_t> algs;
    wide_t (*truth)(wide_t x, wide_t alpha, wide_t beta);
    std::vector<std::pair<float, float>> parameters;

    double bound() const { return eltwise_bound(algs[0]); }
};

inline void PrintTo(const function_t &function, std::ostream *os) { *os << function.name; }

inline wide_t sigmoid(wide_t v) {
    return v < 0 ? std::exp(v) / (1 + std::exp(v)) : 1 / (1 + std::exp(-v));
}
inline wide_t soft_plus(wide_t v) {
    return std::max(v, wide_t(0)) + std::log1p(std::exp(-std::fabs(v)));
}
inline wide_t limited(wide_t v, wide_t low, wide_t high) {
    return std::fmin(std::fmax(v, low), high);
}

inline const std::vector<function_t> &functions() {
    static const std::vector<std::pair<float, float>> none{{0.0f, 0.0f}};
    static const std::vector<function_t> list{
            {"relu", {dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t) { return x > 0 ? x : a * x; },
                    {{0, 0}, {0.01f, 0}, {-0.7f, 0}, {3, 0}}},
            {"tanh", {dnnl_eltwise_tanh, dnnl_eltwise_tanh_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return std::tanh(x); }, none},
            {"elu", {dnnl_eltwise_elu, dnnl_eltwise_elu_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t) { return x > 0 ? x : a * std::expm1(x); },
                    {{1, 0}, {0.3f, 0}, {-2.5f, 0}}},
            {"square", {dnnl_eltwise_square}, [](wide_t x, wide_t, wide_t) { return x * x; }, none},
            {"abs", {dnnl_eltwise_abs}, [](wide_t x, wide_t, wide_t) { return std::fabs(x); },
                    none},
            {"sqrt", {dnnl_eltwise_sqrt, dnnl_eltwise_sqrt_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return std::sqrt(x); }, none},
            {"linear", {dnnl_eltwise_linear},
                    [](wide_t x, wide_t a, wide_t b) { return a * x + b; },
                    {{1, 0}, {0.3f, -1.7f}, {-250, 3}}},
            {"soft_relu", {dnnl_eltwise_soft_relu},
                    [](wide_t x, wide_t a, wide_t) { return soft_plus(a * x) / a; },
                    {{1, 0}, {0.37f, 0}, {-1, 0}, {-20, 0}, {1e-20f, 0}, {1e20f, 0}}},
            {"hardsigmoid", {dnnl_eltwise_hardsigmoid},
                    [](wide_t x, wide_t a, wide_t b) { return limited(a * x + b, 0, 1); },
                    {{1.0f / 6, 0.5f}, {-0.3f, 0.2f}, {0, 0.5f}}},
            {"logistic", {dnnl_eltwise_logistic, dnnl_eltwise_logistic_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return sigmoid(x); }, none},
            {"exp", {dnnl_eltwise_exp, dnnl_eltwise_exp_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return std::exp(x); }, none},
            {"gelu_tanh", {dnnl_eltwise_gelu_tanh},
                    [](wide_t x, wide_t, wide_t) {
                        const wide_t root = std::sqrt(8 / std::acos(wide_t(-1)));
                        return x * sigmoid(root * (x + 0.044715L * x * x * x));
                    },
                    none},
            {"swish", {dnnl_eltwise_swish},
                    [](wide_t x, wide_t a, wide_t) { return x * sigmoid(a * x); },
                    {{1, 0}, {1.702f, 0}, {0, 0}, {-0.6f, 0}, {1e-20f, 0}, {-1e20f, 0}, {1e-36f, 0},
                            {-1e-36f, 0}}},
            {"log", {dnnl_eltwise_log}, [](wide_t x, wide_t, wide_t) { return std::log(x); }, none},
            {"clip",
                    {dnnl_eltwise_clip, dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t b) { return limited(x, a, b); },
                    {{-1, 1}, {0, 6}, {0.25f, 0.5f}}},
            {"pow", {dnnl_eltwise_pow},
                    [](wide_t x, wide_t a, wide_t b) { return a * std::pow(x, b); },
                    {{1.5f, 0}, {-0.3f, 1}, {0.7f, 2}, {1e-20f, 3}, {3, -1}, {0.7f, 0.5f},
                            {-2, -0.5f}, {1, -2}, {1, 4}, {0.3f, 5}, {1, 1.0f / 3}, {-7, -0.75f},
                            {1e30f, 2.2f}, {1e-30f, -2.2f}, {0, -2}, {1e-40f, -2}, {1e-40f, -3},
                            {1, 100}, {1, -101}, {1, 1e-3f}, {2, 1e9f}, {1, infinity},
                            {1, -infinity}}},
            {"gelu_erf", {dnnl_eltwise_gelu_erf},
                    [](wide_t x, wide_t, wide_t) {
                        return x / 2 * std::erfc(-x / std::sqrt(wide_t(2)));
                    },
                    none},
            {"round", {dnnl_eltwise_round},
                    [](wide_t x, wide_t, wide_t) { return std::nearbyint(x); }, none},
            {"mish", {dnnl_eltwise_mish},
                    [](wide_t x, wide_t, wide_t) { return x * std::tanh(soft_plus(x)); }, none},
            {"hardswish", {dnnl_eltwise_hardswish},
                    [](wide_t x, wide_t a, wide_t b) { return x * limited(a * x + b, 0, 1); },
                    {{1.0f / 6, 0.5f}, {-0.3f, 0.2f}, {0, 0.5f}}},
    };
    return list;
}

} // namespace kiln::test
