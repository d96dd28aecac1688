// SPDX-License-Identifier: Apache-2.0
// The eltwise driver's results against their reference in double.
#include "eltwise/reference.hpp"

#include <algorithm>
#include <cmath>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/post_ops_reference.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"

namespace benchdnn::eltwise {

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double gelu_tanh_slope(double x) {
    constexpr double sqrt_2_over_pi = 0.79788456080286535588, cubic = 0.044715;
    const double t = std::tanh(sqrt_2_over_pi * x * (1 + cubic * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * sqrt_2_over_pi * (1 + 3 * cubic * x * x);
}

double gelu_erf_slope(double x) {
    constexpr double sqrt_2_over_pi = 0.79788456080286535588, sqrt_half = 0.70710678118654752440;
    return 0.5 * (1 + std::erf(x * sqrt_half)) + 0.5 * x * sqrt_2_over_pi * std::exp(-0.5 * x * x);
}

double mish_slope(double x) {
    const double t = std::tanh(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
    return t + x * (1 - t * t) * logistic(x);
}

double hardswish_slope(double x, double alpha, double beta) {
    const double gate = alpha * x + beta;
    return gate >= 1 ? 1 : gate <= 0 ? 0 : 2 * alpha * x + beta;
}

double slope(dnnl_alg_kind_t algorithm, double x, double alpha, double beta) {
    switch (algorithm) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return x > 0 ? 1 : alpha;
    case dnnl_eltwise_tanh: return 1 - std::tanh(x) * std::tanh(x);
    case dnnl_eltwise_tanh_use_dst_for_bwd: return 1 - x * x;
    case dnnl_eltwise_elu: return x > 0 ? 1 : alpha * std::exp(x);
    case dnnl_eltwise_elu_use_dst_for_bwd: return x > 0 ? 1 : x + alpha;
    case dnnl_eltwise_square: return 2 * x;
    case dnnl_eltwise_abs: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case dnnl_eltwise_sqrt: return 0.5 / std::sqrt(x);
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return 0.5 / x;
    case dnnl_eltwise_linear: return alpha;
    case dnnl_eltwise_soft_relu: return logistic(alpha * x);
    case dnnl_eltwise_hardsigmoid: {
        const double gate = alpha * x + beta;
        return gate > 0 && gate < 1 ? alpha : 0;
    }
    case dnnl_eltwise_hardswish: return hardswish_slope(x, alpha, beta);
    case dnnl_eltwise_logistic: return logistic(x) * (1 - logistic(x));
    case dnnl_eltwise_logistic_use_dst_for_bwd: return x * (1 - x);
    case dnnl_eltwise_exp: return std::exp(x);
    case dnnl_eltwise_exp_use_dst_for_bwd: return x;
    case dnnl_eltwise_gelu_tanh: return gelu_tanh_slope(x);
    case dnnl_eltwise_gelu_erf: return gelu_erf_slope(x);
    case dnnl_eltwise_swish: {
        const double gate = logistic(alpha * x);
        return gate + alpha * x * gate * (1 - gate);
    }
    case dnnl_eltwise_log: return 1 / x;
    case dnnl_eltwise_clip: return x > alpha && x <= beta ? 1 : 0;
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return x > alpha && x < beta ? 1 : 0;
    case dnnl_eltwise_pow: return beta == 0 ? 0 : alpha * beta * std::pow(x, beta - 1);
    case dnnl_eltwise_mish: return mish_slope(x);
    default: return std::nan("");
    }
}

bool picks_values(dnnl_alg_kind_t algorithm) {
    switch (algorithm) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_abs:
    case dnnl_eltwise_linear:
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
    case dnnl_eltwise_square:
    case dnnl_eltwise_exp_use_dst_for_bwd: return true;
    default: return false;
    }
}

// alpha * x + beta is rounded before it is compared with the ends of an interval, so the position
// of x relative to them has the same uncertainty.
double uncertainty_of(dnnl_alg_kind_t algorithm, double x, double alpha, double beta) {
    if (algorithm != dnnl_eltwise_hardsigmoid && algorithm != dnnl_eltwise_hardswish) return 0;
    const double offset = alpha == 0 ? 0 : std::fabs(beta / alpha);
    return 4 * f32_roundoff * (std::fabs(x) + offset);
}

// What the result should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : spec_(spec)
        , data_(arguments.original(spec.data_argument()))
        , diff_dst_(spec.is_forward() ? data_ : arguments.original(DNNL_ARG_DIFF_DST))
        , pipeline_(attributes, arguments, spec.shape.dims)
        , rounded_to_(attributes.post_ops.chain.empty() ? spec.data_type() : dnnl_f32) {
        function_.algorithm = spec.algorithm.value;
        function_.alpha = spec.alpha;
        function_.beta = spec.beta;
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        elements_.resize(segment.count);
        values_.resize(segment.count);
        data_.load_span(segment.row, segment.first, segment.count, elements_.data());
        if (spec_.is_forward()) {
            for (dim_t i = 0; i < segment.count; ++i)
                values_[i] = eltwise_estimate(
                        function_, quantization::loaded(elements_[i]), rounded_to_);
            pipeline_.apply(segment, values_);
            return values_;
        }
        gradients_.resize(segment.count);
        diff_dst_.load_span(segment.row, segment.first, segment.count, gradients_.data());
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] = product_of(
                    slope_estimate(function_.algorithm, elements_[i], spec_.alpha, spec_.beta),
                    {gradients_[i], 0});
        return values_;
    }

private:
    static estimate_t product_of(estimate_t slope, estimate_t gradient) {
        const double value = slope.value * gradient.value;
        return {value,
                slope.tolerance * std::fabs(gradient.value) + 2 * f32_roundoff * std::fabs(value)};
    }

    const spec_t spec_;
    const tensor_t &data_, &diff_dst_;
    output_pipeline_t pipeline_;
    const dnnl_data_type_t rounded_to_; // what the function's result becomes next
    post_op_t function_;
    std::vector<double> elements_, gradients_;
    std::vector<estimate_t> values_;
};

} // namespace

estimate_t slope_estimate(dnnl_alg_kind_t algorithm, double x, double alpha, double beta) {
    const auto f = [&](double at) { return slope(algorithm, at, alpha, beta); };
    if (picks_values(algorithm)) return {f(x), 0};
    estimate_t result = mapped({x, uncertainty_of(algorithm, x, alpha, beta)}, f, 32);
    // A polynomial, terms of order 1 that cancel, such as 1 - dst, and the range reduction of an
    // exponential.
    result.tolerance += f32_roundoff * (16 + 16 * std::min(std::fabs(x), 8.));
    return result;
}

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const int id = spec.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    comparison_t comparison(argument_name(id), spec.data_type(), spec.shape.dims);
    // A narrow clip, or a factor of 0, makes every element the same.
    const bool may_be_constant = picks_values(spec.algorithm.value)
                                 || (spec.algorithm.value == dnnl_eltwise_pow && spec.beta == 0);
    if (may_be_constant || product(spec.shape.dims) < 16) comparison.expect_constant();
    return {compare_segments(
            arguments.at(id), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::eltwise
