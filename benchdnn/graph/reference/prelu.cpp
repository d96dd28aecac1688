// SPDX-License-Identifier: Apache-2.0
// PReLU and its gradients.
#include <cmath>

#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

// A slope of one number for each channel, or one that is aligned with src at the last axis.
broadcast_index_t index_of(
        const op_t &op, const value_t &slope, const dims_t &src, bool has_channels) {
    const int last = static_cast<int>(src.size()) - 1;
    if (has_channels && slope.dims.size() == 1 && slope.dims[0] != 1 && last > 0)
        return {op.is_channels_last() ? last : 1, src};
    return {slope.dims, src};
}

// x > 0 ? 1 : slope. Where the error of x reaches 0, it may be either.
estimate_t factor(estimate_t x, estimate_t slope) {
    estimate_t result = x.value > 0 ? estimate_t{1, 0} : slope;
    if (std::fabs(x.value) < x.tolerance)
        result.tolerance += std::fabs(1 - slope.value) + slope.tolerance;
    return result;
}

estimate_t product(estimate_t a, estimate_t b) {
    const double value = a.value * b.value;
    return {value, std::fabs(a.value) * b.tolerance + std::fabs(b.value) * a.tolerance
                           + a.tolerance * b.tolerance + f32_roundoff * std::fabs(value)};
}

} // namespace

void compute_prelu(const step_t &step) {
    const value_t &src = *step.inputs[0], &slope = *step.inputs[1];
    value_t &dst = *step.outputs[0];
    const bool is_per_channel = step.op.get<bool>("per_channel_broadcast", true);
    const broadcast_index_t of_slope = index_of(step.op, slope, src.dims, is_per_channel);
    for_each_index(dst.count(), [&](dim_t i) {
        const estimate_t x = src.elements[i];
        dst.elements[i] = product(x, factor(x, slope.elements[of_slope(i)]));
    });
}

void compute_prelu_backward(const step_t &step) {
    const value_t &src = *step.inputs[0], &slope = *step.inputs[1], &diff_dst = *step.inputs[2];
    const broadcast_index_t of_slope = index_of(step.op, slope, src.dims, true);
    if (value_t *diff_src = step.output(0))
        for_each_index(src.count(), [&](dim_t i) {
            diff_src->elements[i] = product(
                    diff_dst.elements[i], factor(src.elements[i], slope.elements[of_slope(i)]));
        });
    value_t *diff_slope = step.output(1);
    if (diff_slope == nullptr) return;
    std::vector<running_sum_t> sums(diff_slope->elements.size());
    std::vector<double> errors(sums.size());
    for (dim_t i = 0; i < src.count(); ++i) {
        const auto at = static_cast<size_t>(of_slope(i));
        const estimate_t x = src.elements[i], term = product(x, diff_dst.elements[i]);
        sums[at].add(x.value > 0 ? 0 : term.value);
        if (x.value - x.tolerance <= 0) errors[at] += term.tolerance;
        if (x.value > 0 && x.value < x.tolerance) errors[at] += std::fabs(term.value);
    }
    for (size_t i = 0; i < sums.size(); ++i)
        diff_slope->elements[i] = {sums[i].sum(), sums[i].tolerance() + errors[i]};
}

} // namespace benchdnn::graph
