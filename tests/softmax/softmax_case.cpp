// SPDX-License-Identifier: Apache-2.0
// Softmax problems, their truth in long double, and executions of every implementation.
#include "softmax/softmax_case.hpp"

#include <cmath>
#include <limits>

#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/roundings.hpp"

namespace kiln::test::softmax {

namespace {

using line_t = std::vector<long double>;
using intervals_t = std::vector<interval_t>;

long double sum_error(long double u, size_t terms, long double magnitudes) {
    return u * roundings_of_sum(static_cast<long double>(terms)) * magnitudes;
}

/// x - maximum is rounded once, so its exponential is off by |x - maximum| u; exp, the reciprocal,
/// products and the scale round a few times more. Exponentials below 2^-125 may be 0.
intervals_t forward_of(const line_t &x, bool is_log, long double u) {
    long double greatest = -std::numeric_limits<long double>::infinity(), sum = 0;
    for (const long double value : x)
        if (!(value <= greatest)) greatest = value;
    for (const long double value : x) sum += std::exp(value - greatest);
    const long double relative = sum_error(u, x.size(), sum) / sum, log_of_sum = std::log(sum);
    intervals_t y;
    for (const long double value : x) {
        const long double distance = value - greatest, exact = std::exp(distance) / sum;
        if (is_log)
            y.push_back(interval_t::around(distance - log_of_sum,
                    u * (2 * std::fabs(distance) + 4 * log_of_sum + 2) + relative));
        else
            y.push_back(interval_t::around(
                    exact, exact * (u * (std::fabs(distance) + 10) + relative) + 0x1p-125L));
    }
    return y;
}

intervals_t backward_of(const line_t &gradient, const line_t &y, bool is_log, long double u) {
    long double sum = 0, magnitudes = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        const long double term = gradient[i] * (is_log ? 1 : y[i]);
        sum += term;
        magnitudes += std::fabs(term);
    }
    const long double error = sum_error(u, y.size(), magnitudes);
    intervals_t result;
    for (size_t i = 0; i < y.size(); ++i) {
        const long double factor = is_log ? std::exp(y[i]) : y[i];
        const long double exact =
                is_log ? gradient[i] - factor * sum : factor * (gradient[i] - sum);
        const long double size =
                is_log ? std::fabs(gradient[i]) + std::fabs(factor * sum)
                       : std::fabs(factor) * (std::fabs(gradient[i]) + std::fabs(sum));
        result.push_back(interval_t::around(exact, std::fabs(factor) * error + 8 * u * size));
    }
    return result;
}

} // namespace

std::string to_string(const problem_t &problem) {
    std::string text = problem.is_log ? "logsoftmax" : "softmax";
    text += problem.is_forward ? " forward " : " backward ";
    text += test::to_string(problem.dims) + " axis " + std::to_string(problem.axis) + " "
            + dnnl_dt2str(problem.src_type) + ":" + problem.src_format + " to "
            + dnnl_dt2str(problem.dst_type) + ":" + problem.dst_format;
    if (problem.in_place) text += " in place";
    return text + test::to_string(problem.post_ops);
}

primitive_desc_handle_t describe(const problem_t &problem, size_t implementation) {
    const attr_handle_t attr = make_attr();
    set_scale(attr, DNNL_ARG_SRC, problem.src_scale);
    set_scale(attr, DNNL_ARG_DST, problem.dst_scale);
    if (!problem.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(
                        attr, make_post_ops(problem.post_ops, problem.dims)),
                "post-ops");
    const auto src = make_desc(problem.dims, problem.src_type, problem.src_format);
    const auto dst = make_desc(problem.dims, problem.dst_type, problem.dst_format);
    primitive_desc_handle_t pd;
    if (problem.is_forward) {
        require(dnnl_softmax_forward_primitive_desc_create(pd.out(), cpu_engine(),
                        dnnl_forward_inference, problem.alg(), src, dst, problem.axis, attr),
                to_string(problem));
    } else {
        const bool is_any = problem.dst_format == "any";
        const auto given = make_desc(
                problem.dims, problem.dst_type, is_any ? problem.src_format : problem.dst_format);
        require(dnnl_softmax_backward_primitive_desc_create(pd.out(), cpu_engine(), problem.alg(),
                        src, dst, given, problem.axis, nullptr, attr),
                to_string(problem));
    }
    skip_implementations(pd, implementation);
    return pd;
}

std::vector<double> values_of(const problem_t &problem, double size) {
    const bool has_signs = problem.src_type != dnnl_u8;
    auto values = random_values_t(11).many(
            volume(problem.dims), has_signs ? -size : 0, has_signs ? size : 2 * size);
    if (is_integer(problem.src_type))
        for (double &value : values) value = std::floor(value);
    return values;
}

case_t::case_t(const problem_t &problem, size_t implementation, const std::vector<double> &values,
        placement_t placement)
    : primitive_case_t(to_string(problem), describe(problem, implementation), placement)
    , problem_(problem) {
    const auto input_of = [&](int arg, const char *name, const std::vector<double> &given) {
        return bindings().add_input(arg, name, chosen_desc(primitive_desc(), arg), given).values();
    };
    if (!problem.is_forward) {
        auto y = random_values_t(3).many(volume(problem.dims), 0.05, 1);
        const auto length = static_cast<double>(problem.dims[static_cast<size_t>(problem.axis)]);
        for (double &value : y) value = problem.is_log ? std::log(value / length) : value / length;
        y_ = input_of(DNNL_ARG_DST, "dst", y);
    }
    x_ = input_of(input(), problem.is_forward ? "src" : "diff_dst", values);
    if (problem.in_place)
        bindings().add_in_place(output(), input());
    else
        bindings().add_output(output(), problem.is_forward ? "dst" : "diff_src",
                chosen_desc(primitive_desc(), output()));
    for (const auto &[arg, scale] : {std::pair{DNNL_ARG_SRC, problem.src_scale},
                 std::pair{DNNL_ARG_DST, problem.dst_scale}})
        if (scale)
            bindings().add_scale(
                    DNNL_ARG_ATTR_SCALES | arg, scale->type, scale->value, scale->is_on_host);
    bindings().add_scratchpad(primitive_desc());
    post_ops_.emplace(problem.post_ops, primitive_desc(), bindings(), 5);
}

std::vector<expected_t> case_t::expected() const {
    const dims_t &dims = problem_.dims;
    const auto axis = static_cast<size_t>(problem_.axis);
    size_t inner = 1;
    for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    const auto length = static_cast<size_t>(dims[axis]);
    const long double u = arithmetic_roundoff({problem_.src_type, problem_.dst_type});
    intervals_t truth(x_.size());
    for (size_t first = 0; first < x_.size(); first += length * inner)
        for (size_t within = 0; within < inner; ++within) {
            line_t x, y;
            for (size_t i = 0; i < length; ++i) {
                const size_t at = first + i * inner + within;
                x.push_back(x_[at]);
                if (!problem_.is_forward) y.push_back(y_[at]);
            }
            const intervals_t line = problem_.is_forward ? forward_of(x, problem_.is_log, u)
                                                         : backward_of(x, y, problem_.is_log, u);
            for (size_t i = 0; i < length; ++i) truth[first + i * inner + within] = line[i];
        }
    const long double factor = factor_of(problem_.src_scale),
                      divisor = factor_of(problem_.dst_scale);
    if (problem_.is_forward)
        for (size_t i = 0; i < truth.size(); ++i) {
            interval_t value = truth[i].map([&](long double v) { return v * factor; });
            value = post_ops_->apply(value, index_at(dims, static_cast<int64_t>(i)));
            truth[i] = value.map([&](long double v) {
                                return v / divisor;
                            }).widened(std::fabs(value.value / divisor) * 4 * u);
        }
    return {{output(), problem_.is_forward ? "dst" : "diff_src", truth}};
}

void expect_right(const problem_t &problem, std::vector<double> values) {
    if (values.empty()) values = values_of(problem);
    expect_right_everywhere(implementations(problem), [&](size_t at, placement_t placement) {
        return case_t(problem, at, values, placement);
    });
}

} // namespace kiln::test::softmax
