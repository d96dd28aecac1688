// SPDX-License-Identifier: Apache-2.0
// SoftMax, LogSoftmax and their gradients. With the shares p = exp(x - m) / s of a line, an error t
// of its elements changes the logarithm of each share by that of the element and by sum(p * t).
#include <cmath>

#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

constexpr double few_roundings = 12;
constexpr double least_exponential = 0x1p-125;

struct lines_t {
    lines_t(const op_t &op, const dims_t &dims, int64_t standard)
        : axis(op.axis("axis", standard, dims.size()))
        , length(dims[axis]) {
        for (size_t d = axis + 1; d < dims.size(); ++d) inner *= dims[d];
    }
    // Calls body(line, first), where first is the index of the line's first element.
    template <typename body_t> void for_each(dim_t elements, const body_t &body) const {
        if (elements == 0) return;
        for_each_index(
                elements / length,
                [&](dim_t line) { body(line, line / inner * length * inner + line % inner); },
                length);
    }

    int axis;
    dim_t length, inner = 1;
};

} // namespace

void compute_softmax(const step_t &step) {
    const value_t &src = *step.inputs[0];
    const bool is_log = step.op.kind == "LogSoftmax";
    const bool gives_zeros = step.op.text("mode", "none") == "inf_as_zero";
    const lines_t lines(step.op, src.dims, is_log ? -1 : 1);
    lines.for_each(src.count(), [&](dim_t line, dim_t first) {
        const auto at = [&](dim_t i) { return first + i * lines.inner; };
        double greatest = -HUGE_VAL, spread = 0;
        for (dim_t i = 0; i < lines.length; ++i)
            greatest = std::max(greatest, src.elements[at(i)].value);
        running_sum_t sums;
        for (dim_t i = 0; i < lines.length; ++i) {
            const estimate_t x = src.elements[at(i)];
            const double exponential = std::exp(x.value - greatest);
            sums.add(exponential);
            spread += exponential * x.tolerance;
        }
        const double sum = sums.sum(), log_of_sum = std::log(sum);
        const bool is_zero = gives_zeros && greatest == -HUGE_VAL;
        const double error = sums.tolerance() / sum + spread / sum;
        if (value_t *dst = step.output(0))
            for (dim_t i = 0; i < lines.length; ++i) {
                const estimate_t x = src.elements[at(i)];
                const double distance = x.value - greatest;
                const double share = std::exp(distance) / sum;
                const double relative =
                        f32_roundoff * (std::fabs(distance) + few_roundings) + error + x.tolerance;
                dst->elements[at(i)] =
                        is_zero  ? estimate_t()
                        : is_log ? estimate_t{distance - log_of_sum,
                                  relative + f32_roundoff * (std::fabs(distance) + 4 * log_of_sum)}
                                 : estimate_t{
                                         share, share * std::expm1(relative) + least_exponential};
            }
        if (value_t *stats = step.output(1))
            stats->elements[line] =
                    is_zero ? estimate_t()
                            : estimate_t{greatest + log_of_sum,
                                    error
                                            + f32_roundoff * 4
                                                      * (std::fabs(greatest) + log_of_sum + 1)};
    });
}

void compute_softmax_backward(const step_t &step) {
    const value_t &diff_dst = *step.inputs[0], &dst = *step.inputs[1];
    value_t &diff_src = *step.outputs[0];
    const bool is_log = step.op.kind == "LogSoftmaxBackward";
    const lines_t lines(step.op, dst.dims, is_log ? -1 : 1);
    lines.for_each(dst.count(), [&](dim_t, dim_t first) {
        const auto at = [&](dim_t i) { return first + i * lines.inner; };
        running_sum_t sums;
        double error = 0;
        for (dim_t i = 0; i < lines.length; ++i) {
            const estimate_t g = diff_dst.elements[at(i)], y = dst.elements[at(i)];
            sums.add(g.value * (is_log ? 1 : y.value));
            error += is_log ? g.tolerance
                            : std::fabs(y.value) * g.tolerance
                                      + (std::fabs(g.value) + g.tolerance) * y.tolerance;
        }
        const double sum = sums.sum();
        error += sums.tolerance();
        for (dim_t i = 0; i < lines.length; ++i) {
            const estimate_t g = diff_dst.elements[at(i)], y = dst.elements[at(i)];
            const double factor = is_log ? std::exp(y.value) : y.value;
            const double factor_error = is_log ? factor * std::expm1(y.tolerance) : y.tolerance;
            const double value = is_log ? g.value - factor * sum : factor * (g.value - sum);
            const double size = is_log ? std::fabs(g.value) + factor * std::fabs(sum)
                                       : std::fabs(factor) * (std::fabs(g.value) + std::fabs(sum));
            const double from_factor =
                    factor_error * (is_log ? std::fabs(sum) : std::fabs(g.value - sum));
            const double from_gradient = (is_log ? 1 : std::fabs(factor)) * g.tolerance;
            diff_src.elements[at(i)] = {value, (std::fabs(factor) + factor_error) * error
                                                       + from_factor + from_gradient
                                                       + few_roundings * f32_roundoff * size};
        }
    });
}

} // namespace benchdnn::graph
