// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as functions of doubles.
#include "graph/truth/truth_functions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kiln::test {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double normal_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

bool is_tanh_gelu(const truth_request_t &op) {
    return op.attr<std::string>(attr_name_t::mode, "gelu_erf") == "gelu_tanh";
}

double gelu_tanh(double x) {
    const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(inner));
}

/// The derivative by a difference quotient of fourth order, for smooth functions.
double slope(const function_t &function, double x) {
    constexpr double h = 1e-3;
    const auto at = [&](double steps) { return function(x + steps * h); };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}

double mish(double x) { return x * std::tanh(softplus(x)); }

} // namespace

function_t function_of(const truth_request_t &op) {
    const double alpha = op.attr<float>(attr_name_t::alpha, 0);
    const double beta = op.attr<float>(attr_name_t::beta, op.kind == kind_t::SoftPlus ? 1 : 0);
    const double low = op.attr<float>(attr_name_t::min, 0),
                 high = op.attr<float>(attr_name_t::max, 0);
    switch (op.kind) {
    case kind_t::Abs: return [](double x) { return std::fabs(x); };
    case kind_t::Clamp: return [=](double x) { return std::clamp(x, low, high); };
    case kind_t::Elu: return [=](double x) { return x > 0 ? x : alpha * std::expm1(x); };
    case kind_t::Exp: return [](double x) { return std::exp(x); };
    case kind_t::GELU:
        return is_tanh_gelu(op) ? function_t(gelu_tanh)
                                : [](double x) { return x * normal_cdf(x); };
    case kind_t::HardSigmoid:
        return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
    case kind_t::HardSwish: return [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); };
    case kind_t::LeakyReLU: return [=](double x) { return x > 0 ? x : alpha * x; };
    case kind_t::Log: return [](double x) { return std::log(x); };
    case kind_t::Mish: return mish;
    case kind_t::Pow: return [=](double x) { return std::pow(x, beta); };
    case kind_t::Reciprocal: return [](double x) { return 1 / x; };
    case kind_t::ReLU: return [](double x) { return std::max(x, 0.0); };
    case kind_t::Round: return [](double x) { return std::nearbyint(x); };
    case kind_t::Sigmoid: return sigmoid;
    case kind_t::SoftPlus: return [=](double x) { return softplus(beta * x) / beta; };
    case kind_t::Sqrt: return [](double x) { return std::sqrt(x); };
    case kind_t::Square: return [](double x) { return x * x; };
    case kind_t::Tanh: return [](double x) { return std::tanh(x); };
    case kind_t::TypeCast:
    case kind_t::Wildcard:
    case kind_t::Reorder: return [](double x) { return x; };
    default: return {};
    }
}

function_t derivative_of(const truth_request_t &op) {
    const double alpha = op.attr<float>(attr_name_t::alpha, 0);
    const double beta = op.attr<float>(attr_name_t::beta, 1);
    const double low = op.attr<float>(attr_name_t::min, 0),
                 high = op.attr<float>(attr_name_t::max, 0);
    const bool of_dst = op.attr<bool>(attr_name_t::use_dst, true);
    switch (op.kind) {
    case kind_t::AbsBackward: return [](double x) { return double((x > 0) - (x < 0)); };
    case kind_t::ClampBackward: return [=](double x) { return double(low < x && x < high); };
    case kind_t::EluBackward:
        return [=](double x) {
            if (x > 0) return 1.0;
            return of_dst ? x + alpha : alpha * std::exp(x);
        };
    case kind_t::GELUBackward:
        if (is_tanh_gelu(op)) return [](double x) { return slope(gelu_tanh, x); };
        return [](double x) { return normal_cdf(x) + x * normal_pdf(x); };
    case kind_t::HardSigmoidBackward:
        return [=](double x) {
            const double y = alpha * x + beta;
            return 0 < y && y < 1 ? alpha : 0;
        };
    case kind_t::HardSwishBackward:
        return [](double x) { return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5; };
    case kind_t::MishBackward: return [](double x) { return slope(mish, x); };
    case kind_t::ReLUBackward: return [](double x) { return double(x > 0); };
    case kind_t::SigmoidBackward:
        return [=](double x) {
            const double y = of_dst ? x : sigmoid(x);
            return y * (1 - y);
        };
    case kind_t::SoftPlusBackward: return [=](double x) { return sigmoid(beta * x); };
    case kind_t::SqrtBackward:
        return [=](double x) { return 1 / (2 * (of_dst ? x : std::sqrt(x))); };
    case kind_t::TanhBackward:
        return [=](double x) {
            const double y = of_dst ? x : std::tanh(x);
            return 1 - y * y;
        };
    default: return {};
    }
}

pair_function_t pair_function_of(kind_t kind) {
    switch (kind) {
    case kind_t::Add: return [](double a, double b) { return a + b; };
    case kind_t::Divide: return [](double a, double b) { return a / b; };
    case kind_t::GreaterEqual: return [](double a, double b) { return double(a >= b); };
    case kind_t::Maximum: return [](double a, double b) { return std::max(a, b); };
    case kind_t::Minimum: return [](double a, double b) { return std::min(a, b); };
    case kind_t::Multiply: return [](double a, double b) { return a * b; };
    case kind_t::SquaredDifference: return [](double a, double b) { return (a - b) * (a - b); };
    case kind_t::Subtract: return [](double a, double b) { return a - b; };
    default: return nullptr;
    }
}

} // namespace kiln::test
