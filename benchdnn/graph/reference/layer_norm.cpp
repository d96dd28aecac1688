// SPDX-License-Identifier: Apache-2.0
// LayerNorm, RMSNorm and LayerNormBackward.
#include "graph/operations.hpp"
#include "graph/reference/normalization.hpp"

namespace benchdnn::graph {

namespace {

normalization_t normalization_of(
        const step_t &step, const value_t *scale, const value_t *shift, bool is_rms) {
    const value_t &src = *step.inputs[0];
    const auto parameter = [&](const value_t *value, double standard) {
        return parameter_t(value, standard, row_parameter_index(value, step.op, src.dims));
    };
    return {src, row_populations(step.op, src.dims),
            static_cast<float>(step.op.get<double>("epsilon", 1e-5)), is_rms, parameter(scale, 1),
            parameter(shift, 0)};
}

} // namespace

void compute_layer_norm(const step_t &step) {
    const bool is_rms = step.op.kind == "RMSNorm";
    const bool has_weights = step.op.get<bool>("use_affine", true);
    const value_t *scale = has_weights ? step.input(1) : nullptr;
    const value_t *shift = has_weights && !is_rms ? step.input(2) : nullptr;
    const normalization_t what = normalization_of(step, scale, shift, is_rms);
    normalize(what, {nullptr, nullptr}, {step.output(0), step.output(1), step.output(2)});
}

// src and diff_dst; then mean and variance, unless they are absent; then gamma and beta.
void compute_layer_norm_backward(const step_t &step) {
    const bool has_scale = step.op.get<bool>("use_affine", true);
    const bool has_statistics = !lacks_statistics(step.op);
    const size_t scale_port = has_statistics ? 4 : 2;
    const value_t *scale = has_scale ? step.input(scale_port) : nullptr;
    const given_statistics_t given{
            has_statistics ? step.input(2) : nullptr, has_statistics ? step.input(3) : nullptr};
    differentiate(normalization_of(step, scale, nullptr, false), *step.inputs[1], given,
            {step.output(0), step.output(1), step.output(2)});
}

} // namespace benchdnn::graph
