// SPDX-License-Identifier: Apache-2.0
// A fully connected layer learns the weights and the bias of another one from its outputs:
//     forward:   dst = src * weights^T + bias
//     the loss:  |dst - wanted|^2 / (2 * samples), whose gradient is (dst - wanted) / samples
//     backward:  diff_weights = diff_dst^T * src,  diff_bias = the sum of diff_dst over samples
//     a step:    weights -= rate * diff_weights,  bias -= rate * diff_bias

#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim samples = 64, inputs = 8, outputs = 3;

std::vector<float> noise(memory::dim count, float phase) {
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(12.9898f * static_cast<float>(i * i + 1) + phase);
    return values;
}

void step(std::vector<float> &values, const std::vector<float> &gradient) {
    constexpr float rate = 0.5f;
    for (size_t i = 0; i < values.size(); ++i) values[i] -= rate * gradient[i];
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    constexpr auto f32 = memory::data_type::f32;
    const memory::desc src_md({samples, inputs}, f32, memory::format_tag::ab);
    const memory::desc weights_md({outputs, inputs}, f32, memory::format_tag::ab);
    const memory::desc bias_md({outputs}, f32, memory::format_tag::a);
    const memory::desc dst_md({samples, outputs}, f32, memory::format_tag::ab);
    // The forward descriptor is the hint of the backward one.
    const inner_product_forward::primitive_desc forward_pd(
            cpu, prop_kind::forward_training, src_md, weights_md, bias_md, dst_md);
    const inner_product_backward_weights::primitive_desc backward_pd(
            cpu, src_md, weights_md, bias_md, dst_md, forward_pd);
    const inner_product_forward forward(forward_pd);
    const inner_product_backward_weights backward(backward_pd);

    std::vector<float> src = noise(samples * inputs, 0), dst(samples * outputs), diff_dst = dst;
    std::vector<float> weights(outputs * inputs), diff_weights = weights;
    std::vector<float> bias(outputs), diff_bias = bias;
    const auto run = [&](std::vector<float> &used_weights, std::vector<float> &used_bias) {
        forward.execute(queue, {{DNNL_ARG_SRC, {src_md, cpu, src.data()}},
                                       {DNNL_ARG_WEIGHTS, {weights_md, cpu, used_weights.data()}},
                                       {DNNL_ARG_BIAS, {bias_md, cpu, used_bias.data()}},
                                       {DNNL_ARG_DST, {dst_md, cpu, dst.data()}}});
        queue.wait();
    };
    std::vector<float> true_weights = noise(outputs * inputs, 1), true_bias = noise(outputs, 2);
    run(true_weights, true_bias);
    const std::vector<float> wanted = dst;

    double loss = 0;
    for (int epoch = 0; epoch <= 100; ++epoch) {
        run(weights, bias);
        loss = 0;
        for (size_t i = 0; i < dst.size(); ++i) {
            const float error = dst[i] - wanted[i];
            diff_dst[i] = error / samples;
            loss += double(error) * double(error) / (2 * samples);
        }
        if (epoch % 25 == 0) std::printf("step %3d: loss %.2e\n", epoch, loss);
        backward.execute(
                queue, {{DNNL_ARG_SRC, {src_md, cpu, src.data()}},
                               {DNNL_ARG_DIFF_DST, {dst_md, cpu, diff_dst.data()}},
                               {DNNL_ARG_DIFF_WEIGHTS, {weights_md, cpu, diff_weights.data()}},
                               {DNNL_ARG_DIFF_BIAS, {bias_md, cpu, diff_bias.data()}}});
        queue.wait();
        step(weights, diff_weights);
        step(bias, diff_bias);
    }
    double worst = 0;
    for (size_t i = 0; i < weights.size(); ++i)
        worst = std::fmax(worst, std::fabs(weights[i] - true_weights[i]));
    std::printf("the weights are off by at most %.1e\n", worst);
    return loss < 1e-8 && worst < 1e-3 ? 0 : 1;
}
