// SPDX-License-Identifier: Apache-2.0
// The softmax driver's output against its reference.
//
// With u = 2^-24: x - maximum is rounded once, which changes its exponential by |x - maximum| u;
// exp, log, the reciprocal and the products take a few more u; sums are estimated by
// running_sum_t. Exponentials may be flushed to zero below 2^-125.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "common/attributes/output_pipeline.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "softmax/problem.hpp"

namespace benchdnn::softmax {

namespace {

constexpr double few_roundings = 12;
constexpr double least_exponential = 0x1p-125;

// Positions of lines: index = (outer * length + place) * inner + within.
struct lines_t {
    explicit lines_t(const spec_t &spec)
        : length(spec.length()) {
        for (int d = spec.axis + 1; d < spec.ndims(); ++d) inner *= spec.shape.dims[d];
        for (int d = 0; d < spec.axis; ++d) outer *= spec.shape.dims[d];
    }
    dim_t count() const { return outer * inner; }
    dim_t line_of(dim_t index) const { return index / (length * inner) * inner + index % inner; }
    dim_t index_of(dim_t line, dim_t place) const {
        return (line / inner * length + place) * inner + line % inner;
    }

    dim_t length, inner = 1, outer = 1;
};

// What a line is reduced to. Backward has no maximum.
struct reduced_t {
    double maximum = 0;
    estimate_t sum;
};

using line_values_t = std::vector<reduced_t>;

reduced_t reduce_forward(const tensor_t &src, const lines_t &lines, dim_t line) {
    reduced_t result{-HUGE_VAL, {}};
    for (dim_t i = 0; i < lines.length; ++i)
        result.maximum = std::max(result.maximum, src.load(lines.index_of(line, i)));
    running_sum_t sum;
    for (dim_t i = 0; i < lines.length; ++i)
        sum.add(std::exp(src.load(lines.index_of(line, i)) - result.maximum));
    result.sum = sum.estimate();
    return result;
}

reduced_t reduce_backward(const tensor_t &dst, const tensor_t &diff_dst, bool is_log,
        const lines_t &lines, dim_t line) {
    running_sum_t sum;
    for (dim_t i = 0; i < lines.length; ++i) {
        const dim_t index = lines.index_of(line, i);
        sum.add(diff_dst.load(index) * (is_log ? 1 : dst.load(index)));
    }
    return {0, sum.estimate()};
}

line_values_t reduce(const spec_t &spec, const arguments_t &arguments) {
    const lines_t lines(spec);
    line_values_t values(lines.count());
    parallel_shares(
            lines.count(), lines.count() * lines.length, [&](int, int64_t begin, int64_t end) {
                for (dim_t line = begin; line < end; ++line)
                    values[line] =
                            spec.is_forward()
                                    ? reduce_forward(arguments.original(DNNL_ARG_SRC), lines, line)
                                    : reduce_backward(arguments.original(DNNL_ARG_DST),
                                            arguments.original(DNNL_ARG_DIFF_DST), spec.is_log(),
                                            lines, line);
            });
    return values;
}

estimate_t forward_of(double x, const reduced_t &line, bool is_log) {
    const double u = f32_roundoff, distance = x - line.maximum;
    const double sum_error = line.sum.tolerance / line.sum.value; // relative
    if (is_log) {
        const double log_of_sum = std::log(line.sum.value);
        const double value = distance - log_of_sum;
        return {value, u * (2 * std::fabs(distance) + 4 * log_of_sum + 2) + sum_error};
    }
    const double value = std::exp(distance) / line.sum.value;
    return {value,
            value * (u * (std::fabs(distance) + few_roundings) + sum_error) + least_exponential};
}

estimate_t backward_of(double y, double gradient, const reduced_t &line, bool is_log) {
    const double u = f32_roundoff, sum = line.sum.value;
    const double factor = is_log ? std::exp(y) : y;
    const double value = is_log ? gradient - factor * sum : y * (gradient - sum);
    const double magnitude = is_log ? std::fabs(gradient) + factor * std::fabs(sum)
                                    : std::fabs(y) * (std::fabs(gradient) + std::fabs(sum));
    return {value, std::fabs(factor) * line.sum.tolerance + few_roundings * u * magnitude};
}

class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : spec_(spec)
        , lines_(spec)
        , arguments_(arguments)
        , reduced_(std::make_shared<const line_values_t>(reduce(spec, arguments)))
        , pipeline_(attributes, arguments, spec.shape.dims) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        values_.resize(segment.count);
        const dim_t first = segment.index(spec_.shape.dims.back());
        const tensor_t &input =
                arguments_.original(spec_.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST);
        load(input, segment, x_);
        if (!spec_.is_forward()) load(arguments_.original(DNNL_ARG_DST), segment, y_);
        for (dim_t i = 0; i < segment.count; ++i) {
            const reduced_t &line = (*reduced_)[lines_.line_of(first + i)];
            values_[i] = spec_.is_forward() ? forward_of(x_[i], line, spec_.is_log())
                                            : backward_of(y_[i], x_[i], line, spec_.is_log());
        }
        if (spec_.is_forward()) pipeline_.apply(segment, values_);
        return values_;
    }

private:
    static void load(
            const tensor_t &tensor, const segment_t &segment, std::vector<double> &values) {
        values.resize(segment.count);
        tensor.load_span(segment.row, segment.first, segment.count, values.data());
    }

    const spec_t &spec_;
    const lines_t lines_;
    const arguments_t &arguments_;
    const std::shared_ptr<const line_values_t> reduced_;
    output_pipeline_t pipeline_;
    std::vector<double> x_, y_;
    std::vector<estimate_t> values_;
};

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const int id = spec.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    comparison_t comparison(
            argument_name(id), spec.is_forward() ? spec.dst_type : spec.src_type, spec.shape.dims);
    const bool is_integer = spec.dst_type == dnnl_s8 || spec.dst_type == dnnl_u8;
    if (product(spec.shape.dims) == 0 || spec.length() == 1 || is_integer)
        comparison.expect_constant();
    return {compare_segments(
            arguments.at(id), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::softmax
