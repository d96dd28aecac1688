// SPDX-License-Identifier: Apache-2.0
// Kernels of layer normalization on columns, with operands to run them on.
#include "kernels/column_run.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using forward_t = forward_spec_t;
using backward_t = backward_spec_t;
using kiln::test::kernel_failure_t;
using ::testing::AssertionResult;

size_t index(dim_t i) { return static_cast<size_t>(i); }

bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

/// Calls `kernel(first, count)` for parts of the line.
template <typename kernel_t>
void for_each_call(dim_t columns, dim_t tile_width, dim_t tiles_per_call, const kernel_t &kernel) {
    const dim_t part = tiles_per_call == 0 ? columns : tiles_per_call * tile_width;
    for (dim_t first = 0; first < columns; first += part)
        kernel(first, std::min(part, columns - first));
}

/// Finds the first result that is wrong.
class checker_t {
public:
    explicit checker_t(const kernel_failure_t &failure)
        : failure_(failure) {}

    void check(const char *name, dim_t step, dim_t column, double got, const estimate_t &expected) {
        if (result_ && !is_near(got, expected))
            result_ = failure_(wrong(name, step, column, expected, got));
    }
    void check(bool is_right, const char *what) {
        if (result_ && !is_right) result_ = failure_(what);
    }
    const AssertionResult &result() const { return result_; }

private:
    const kernel_failure_t &failure_;
    AssertionResult result_ = ::testing::AssertionSuccess();
};

/// Every element of a column, from values step by step.
std::vector<double> column_of(const std::vector<double> &values, dim_t columns, dim_t column) {
    std::vector<double> elements;
    for (size_t i = index(column); i < values.size(); i += index(columns))
        elements.push_back(values[i]);
    return elements;
}

column_call_t call_of(const column_case_t &t) {
    return {t.isa, t.steps, t.placement, t.seed, t.non_temporal};
}

/// Additions one after the other for a sum of so many terms at most, and the roundings around it.
double chain_of(dim_t terms) { return static_cast<double>(terms) + 12; }

} // namespace

std::string column_case_t::describe() const {
    std::ostringstream text;
    text << steps << " steps " << columns << " columns gap " << gap << " src "
         << dnnl_dt2str(src_type) << " dst or diff_src " << dnnl_dt2str(dst_type) << " diff_dst "
         << dnnl_dt2str(diff_dst_type) << " statistics " << dnnl_dt2str(stat_type) << " scale "
         << dnnl_dt2str(scale_type) << " shift " << dnnl_dt2str(shift_type)
         << (is_rms ? " rms" : "") << " epsilon " << epsilon
         << (non_temporal ? " non-temporal" : "") << " statistics " << static_cast<int>(statistics)
         << (has_src_scale ? " src_scale" : "") << (has_dst_scale ? " dst_scale" : "")
         << (has_post_ops ? " post-ops" : "")
         << (has_constant_statistics ? " constant statistics" : "")
         << (has_weight_gradients ? " weight gradients" : "")
         << (wants_diff_src ? "" : " without diff_src") << " NaN in column " << nan_column
         << (placement == placement_t::ends_at_guard ? " ends at guard" : " begins at guard");
    return text.str();
}

AssertionResult forward_is_right(const column_case_t &t, dim_t tiles_per_call) {
    column_operands_t operands(call_of(t), forward_t::first_post_op + 2);
    const bool is_integer = kiln::test::is_integer(t.src_type);
    const double low = t.src_type == dnnl_u8 ? 0 : is_integer ? -100 : -2;
    auto src = operands.add_random(
            forward_t::src, t.src_type, t.steps, t.columns, t.gap, low, is_integer ? 120 : 4);
    operands.spoil(forward_t::src, src, t.nan_column);
    operands.add(forward_t::dst, t.dst_type, t.steps, t.columns, 2 * t.gap, t.non_temporal);
    std::vector<double> scale(index(t.steps), 1), shift(index(t.steps), 0);
    std::vector<double> added(src.size(), 0), factor(index(t.steps), 1);
    if (is_used(t.scale_type))
        scale = operands.add_shared(forward_t::scale, t.scale_type, t.steps, -2, 2);
    if (is_used(t.shift_type))
        shift = operands.add_shared(forward_t::shift, t.shift_type, t.steps, -1, 1);
    double src_scale = 1, dst_scale = 1;
    if (t.has_src_scale)
        src_scale = operands.add_shared(forward_t::src_scale, dnnl_f32, 1, 0.5, 1).front();
    if (t.has_dst_scale)
        dst_scale = operands.add_shared(forward_t::dst_scale, dnnl_f32, 1, 0.02, 1).front();
    std::vector<moments_t> moments;
    for (dim_t c = 0; c < t.columns; ++c) {
        const auto column = column_of(src, t.columns, c);
        moments.push_back(moments_of(column.data(), t.steps, t.is_rms, chain_of(t.steps)));
    }
    if (t.statistics != statistics_t::computed) {
        if (!t.is_rms) operands.add(forward_t::mean, t.stat_type, 1, t.columns, 0);
        operands.add(forward_t::variance, t.stat_type, 1, t.columns, 0);
    }
    if (t.statistics == statistics_t::given)
        for (dim_t c = 0; c < t.columns; ++c) {
            // Not the columns' own, so that computed ones would be found out.
            auto &[mean, variance] = moments[index(c)];
            mean = {t.is_rms ? 0 : kiln::test::rounded(t.stat_type, mean.value + 0.25), 0};
            variance = {kiln::test::rounded(t.stat_type, 1.5 * variance.value + 0.1), 0};
            if (!t.is_rms) operands[forward_t::mean].set(0, c, mean.value);
            operands[forward_t::variance].set(0, c, variance.value);
        }
    forward_t spec;
    if (t.has_post_ops) {
        const size_t first = forward_t::first_post_op;
        added = operands.add_random(first, dnnl_bf16, t.steps, t.columns, 3 * t.gap, -2, 2);
        factor = operands.add_random(first + 1, dnnl_f32, t.steps, 1, t.gap, -2, 2);
        operands.share(first + 1);
        spec.post_ops = {{.alg = dnnl_binary_add, .operands = {{dnnl_bf16, true}}},
                {.alg = dnnl_binary_mul, .operands = {{dnnl_f32, false}}}};
    }
    spec.isa = t.isa;
    spec.operands = operands.types();
    if (!t.has_post_ops) spec.operands.resize(forward_t::first_post_op);
    spec.length = t.steps;
    spec.run_length = t.columns;
    spec.is_streamed = t.non_temporal || t.steps % 2 == 0; // else there are ordinary stores only
    spec.statistics = t.statistics;
    spec.is_rms = t.is_rms;
    spec.epsilon = t.epsilon;
    const jit::executable_code_t code = column_forward_kernel_t(spec).finish();
    for_each_call(t.columns, tile_width(t.isa, t.has_post_ops, t.columns), tiles_per_call,
            [&](dim_t first, dim_t count) {
                const column_args_t args = operands.args(forward_t::stepped, first, count);
                code.entry<void (*)(const column_args_t *)>()(&args);
            });

    const kernel_failure_t failure(
            spec.name("column"), t.describe(), t.seed, {code.data(), code.size()});
    checker_t checker(failure);
    checker.check(operands.have_intact_gaps(), "wrote beside its results");
    for (dim_t c = 0; c < t.columns; ++c) {
        const auto &[mean, variance] = moments[index(c)];
        if (t.statistics == statistics_t::computed_and_stored) {
            if (!t.is_rms)
                checker.check("mean", 0, c, operands[forward_t::mean].get(0, c),
                        stored(t.stat_type, mean));
            checker.check("variance", 0, c, operands[forward_t::variance].get(0, c),
                    stored(t.stat_type, variance));
        }
        const double sum = variance.value + static_cast<double>(t.epsilon);
        const double r = 1 / std::sqrt(sum);
        for (dim_t step = 0; step < t.steps; ++step) {
            const size_t i = index(step * t.columns + c), s = index(step);
            const double xhat = (src[i] - mean.value) * r;
            const double relative_error = variance.error / (2 * sum) + (4 + 3) * unit;
            double y = xhat * scale[s] + shift[s];
            double error = std::abs(scale[s]) * (r * mean.error + std::abs(xhat) * relative_error)
                           + unit * std::abs(y);
            y = (y * src_scale + added[i]) * factor[s] / dst_scale;
            // A rounding each for the scales and the post-ops.
            error = error * src_scale * std::abs(factor[s]) / dst_scale
                    + 4 * unit * (std::abs(y) + std::abs(added[i] * factor[s] / dst_scale));
            checker.check("dst", step, c, operands[forward_t::dst].get(step, c),
                    stored(t.dst_type, {y, error}));
        }
    }
    return checker.result();
}

AssertionResult backward_is_right(const column_case_t &t, dim_t tiles_per_call) {
    column_operands_t operands(call_of(t), backward_t::first_post_op);
    const auto src =
            operands.add_random(backward_t::src, t.src_type, t.steps, t.columns, t.gap, -2, 4);
    auto diff_dst = operands.add_random(
            backward_t::diff_dst, t.diff_dst_type, t.steps, t.columns, 2 * t.gap, -1, 1.5);
    operands.spoil(backward_t::diff_dst, diff_dst, t.nan_column);
    operands.add(backward_t::diff_src, t.dst_type, t.steps, t.columns, 3 * t.gap, t.non_temporal);
    std::vector<double> means(index(t.columns), 0), scale(index(t.steps), 1);
    if (!t.is_rms)
        means = operands.add_random(backward_t::mean, t.stat_type, 1, t.columns, 0, 0.5, 1.5);
    const auto variances =
            operands.add_random(backward_t::variance, t.stat_type, 1, t.columns, 0, 0.5, 3);
    if (is_used(t.scale_type))
        scale = operands.add_shared(backward_t::scale, t.scale_type, t.steps, -2, 2);
    backward_t spec;
    spec.isa = t.isa;
    spec.operands = operands.types();
    spec.length = t.steps;
    spec.run_length = t.columns;
    spec.is_streamed = t.non_temporal || t.steps % 2 == 0; // else there are ordinary stores only
    spec.is_rms = t.is_rms;
    spec.has_constant_statistics = t.has_constant_statistics;
    if (t.has_weight_gradients)
        spec.operands[backward_t::diff_scale] =
                spec.operands[backward_t::diff_shift] = {dnnl_f32, 0};
    spec.epsilon = t.epsilon;
    const jit::executable_code_t code = column_backward_kernel_t(spec).finish();
    // For each step a vector of diff_scale and one of diff_shift, to which the kernel adds.
    const dim_t lanes = jit::lanes_of(t.isa);
    row_tensor_t sums(dnnl_f32, 1, 2 * lanes * t.steps, 0, t.placement);
    sums.fill(std::vector<double>(index(2 * lanes * t.steps), 0.25));
    for_each_call(t.columns, tile_width(t.isa, true, t.columns), tiles_per_call,
            [&](dim_t first, dim_t count) {
                column_args_t args = operands.args(backward_t::stepped, first, count);
                if (!t.wants_diff_src) args.operands[backward_t::diff_src] = nullptr;
                if (t.has_weight_gradients) args.memory = reinterpret_cast<float *>(sums.data());
                code.entry<void (*)(const column_args_t *)>()(&args);
            });

    const kernel_failure_t failure(
            spec.name("column"), t.describe(), t.seed, {code.data(), code.size()});
    checker_t checker(failure);
    checker.check(
            operands.have_intact_gaps() && sums.has_intact_gaps(), "wrote beside its results");
    const double chain = chain_of(t.steps), count = static_cast<double>(t.steps);
    std::vector<estimate_t> diff_scale(index(t.steps)), diff_shift(index(t.steps));
    for (dim_t c = 0; c < t.columns; ++c) {
        const double r = 1 / std::sqrt(variances[index(c)] + static_cast<double>(t.epsilon));
        std::vector<double> xhat, g;
        double s1 = 0, s2 = 0, magnitude_1 = 0, magnitude_2 = 0;
        for (dim_t step = 0; step < t.steps; ++step) {
            const size_t i = index(step * t.columns + c), s = index(step);
            xhat.push_back((src[i] - means[index(c)]) * r);
            g.push_back(scale[s] * diff_dst[i]);
            s1 += g[s];
            s2 += g[s] * xhat[s];
            magnitude_1 += std::abs(g[s]);
            magnitude_2 += std::abs(g[s] * xhat[s]);
            diff_scale[s].value += diff_dst[i] * xhat[s];
            diff_scale[s].error += std::abs(diff_dst[i] * xhat[s]);
            diff_shift[s].value += diff_dst[i];
            diff_shift[s].error += std::abs(diff_dst[i]);
        }
        if (t.is_rms || t.has_constant_statistics) s1 = magnitude_1 = 0;
        if (t.has_constant_statistics) s2 = magnitude_2 = 0;
        for (dim_t step = 0; t.wants_diff_src && step < t.steps; ++step) {
            const size_t s = index(step);
            const double value = r * (g[s] - s1 / count - xhat[s] * s2 / count);
            // Roundings of r, of products, and of the sums' terms.
            const double error = unit * r
                                 * (10 * std::abs(g[s]) + chain * magnitude_1 / count
                                         + 2 * chain * std::abs(xhat[s]) * magnitude_2 / count);
            checker.check("diff_src", step, c, operands[backward_t::diff_src].get(step, c),
                    stored(t.dst_type, {value, error}));
        }
    }
    for (dim_t step = 0; t.has_weight_gradients && step < t.steps; ++step) {
        const size_t s = index(step);
        for (const auto &[name, gradient, first] :
                {std::tuple("diff_scale", diff_scale[s], dim_t(0)),
                        std::tuple("diff_shift", diff_shift[s], lanes)}) {
            double got = -0.25 * static_cast<double>(lanes);
            for (dim_t lane = 0; lane < lanes; ++lane)
                got += sums.get(0, 2 * lanes * step + first + lane);
            checker.check(name, step, 0, got,
                    {gradient.value, unit * chain_of(t.columns)
                                             * (gradient.error + static_cast<double>(lanes))});
        }
    }
    if (!t.wants_diff_src) {
        const auto bits = operands[backward_t::diff_src].bits();
        checker.check(std::all_of(bits.begin(), bits.end(),
                              [](std::byte byte) { return byte == std::byte{0xff}; }),
                "diff_src was written");
    }
    return checker.result();
}

} // namespace kiln::x64::layer_normalization::test
