// SPDX-License-Identifier: Apache-2.0
// Normalizations of images with channels: GroupNorm and the three of batch normalization.
#include "graph/reference/normalization.hpp"

namespace benchdnn::graph {

namespace {

normalization_t normalization_of(const step_t &step, const value_t *scale, const value_t *shift) {
    const value_t &src = *step.inputs[0];
    const broadcast_index_t index = channel_parameter_index(step.op, src.dims);
    return {src, populations_of(step.op, src.dims),
            static_cast<float>(step.op.get<double>("epsilon", 1e-5)), false,
            parameter_t(scale, 1, index), parameter_t(shift, 0, index)};
}

constexpr given_statistics_t none{nullptr, nullptr};

// momentum * old + (1 - momentum) * of this batch
void update(value_t *running, const value_t *old, const value_t &batch, double momentum) {
    for (dim_t i = 0; running && i < running->count(); ++i) {
        const estimate_t kept = product_of(old->elements[i], {momentum, 0});
        const estimate_t added = product_of(batch.elements[i], {1 - momentum, 0});
        running->elements[i] = combined(
                kept, added, [](double a, double b) { return a + b; }, 2);
        running->elements[i].tolerance +=
                2 * f32_roundoff * (std::fabs(kept.value) + std::fabs(added.value));
    }
}

} // namespace

void compute_group_norm(const step_t &step) {
    normalize(normalization_of(step, step.input(1), step.input(2)), none,
            {step.output(0), step.output(1), step.output(2)});
}

void compute_batch_norm_inference(const step_t &step) {
    normalize(normalization_of(step, step.input(1), step.input(2)), {step.input(3), step.input(4)},
            {step.output(0), nullptr, nullptr});
}

void compute_batch_norm_training(const step_t &step) {
    const normalization_t what = normalization_of(step, step.input(3), step.input(4));
    value_t mean, variance;
    for (value_t *value : {&mean, &variance}) value->elements.resize(what.populations.count());
    normalize(what, none, {step.output(0), &mean, &variance});
    const double momentum = static_cast<float>(step.op.get<double>("momentum", 0.5));
    update(step.output(1), step.input(1), mean, momentum);
    update(step.output(2), step.input(2), variance, momentum);
    if (value_t *output = step.output(3)) output->elements = mean.elements;
    if (value_t *output = step.output(4)) output->elements = variance.elements;
}

// Without gradients of scale and shift, scale is absent.
void compute_batch_norm_backward(const step_t &step) {
    const bool has_scale = step.output(1) || step.output(2);
    differentiate(normalization_of(step, has_scale ? step.input(4) : nullptr, nullptr),
            *step.inputs[1], {step.input(2), step.input(3)},
            {step.output(0), step.output(1), step.output(2)});
}

} // namespace benchdnn::graph
