// SPDX-License-Identifier: Apache-2.0
// Inference of a layer with integers of 8 bits. A value is scale * (element - zero point): u8
// activations have a scale and a zero point, s8 weights a scale for each output. The sums are exact
// integers; dst is quantized where it is stored. Prints the error against arithmetic with floats.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr memory::dim rows = 16, inputs = 128, outputs = 32;

/// How u8 stands for the values between two limits, 0 among them.
struct quantization_t {
    quantization_t(const std::vector<float> &values)
        : scale(0)
        , zero_point(0) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const float least = std::min(*low, 0.f);
        scale = (std::max(*high, 0.f) - least) / 255;
        zero_point = static_cast<int32_t>(std::round(-least / scale));
    }
    uint8_t quantized(float value) const {
        const float element = std::round(value / scale) + static_cast<float>(zero_point);
        return static_cast<uint8_t>(std::clamp(element, 0.f, 255.f));
    }
    float value(uint8_t element) const {
        return scale * static_cast<float>(static_cast<int32_t>(element) - zero_point);
    }
    float scale;
    int32_t zero_point;
};

template <typename element_t>
memory wrapped(
        const engine &cpu, const memory::dims &dims, dt type, std::vector<element_t> &values) {
    return {{dims, type, dims.size() == 1 ? tag::a : tag::ab}, cpu, values.data()};
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    std::vector<float> x(rows * inputs), w(inputs * outputs), bias(outputs), y;
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * static_cast<float>(i)) + 0.5f;
    for (size_t i = 0; i < w.size(); ++i) w[i] = 0.1f * std::cos(0.11f * static_cast<float>(i));
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = 0.01f * static_cast<float>(i);
    for (size_t m = 0; m < rows; ++m)
        for (size_t o = 0; o < outputs; ++o) {
            float sum = bias[o];
            for (size_t k = 0; k < inputs; ++k) sum += x[m * inputs + k] * w[k * outputs + o];
            y.push_back(std::max(sum, 0.f));
        }

    // Calibrate: the ranges of src and dst follow from examples, the weights are known.
    const quantization_t of_src(x), of_dst(y);
    std::vector<uint8_t> x8, y8(y.size());
    for (const float value : x) x8.push_back(of_src.quantized(value));
    std::vector<float> weights_scales(outputs, 0.f);
    for (size_t i = 0; i < w.size(); ++i) {
        float &scale = weights_scales[i % outputs];
        scale = std::max(scale, std::fabs(w[i]) / 127);
    }
    std::vector<int8_t> w8;
    for (size_t i = 0; i < w.size(); ++i)
        w8.push_back(static_cast<int8_t>(std::round(w[i] / weights_scales[i % outputs])));

    // Scales and zero points are arguments: those of mask 0 are one value, those of weights one for
    // each column (axis 1).
    post_ops activation;
    activation.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    attr.set_post_ops(activation);
    const matmul::primitive_desc pd(cpu, {{rows, inputs}, dt::u8, tag::ab},
            {{inputs, outputs}, dt::s8, tag::any}, {{1, outputs}, dt::f32, tag::ab},
            {{rows, outputs}, dt::u8, tag::ab}, attr);

    // The weights are packed once.
    memory plain = wrapped(cpu, {inputs, outputs}, dt::s8, w8), packed(pd.weights_desc(), cpu);
    reorder(plain, packed).execute(queue, plain, packed);

    std::vector<float> src_scale{of_src.scale}, dst_scale{of_dst.scale};
    std::vector<int32_t> src_zero{of_src.zero_point}, dst_zero{of_dst.zero_point};
    const auto scales = [](int arg) { return DNNL_ARG_ATTR_SCALES | arg; };
    const auto zero_points = [](int arg) { return DNNL_ARG_ATTR_ZERO_POINTS | arg; };
    matmul(pd).execute(queue,
            {{DNNL_ARG_SRC, wrapped(cpu, {rows, inputs}, dt::u8, x8)}, {DNNL_ARG_WEIGHTS, packed},
                    {DNNL_ARG_BIAS, wrapped(cpu, {1, outputs}, dt::f32, bias)},
                    {DNNL_ARG_DST, wrapped(cpu, {rows, outputs}, dt::u8, y8)},
                    {scales(DNNL_ARG_SRC), wrapped(cpu, {1}, dt::f32, src_scale)},
                    {scales(DNNL_ARG_WEIGHTS), wrapped(cpu, {outputs}, dt::f32, weights_scales)},
                    {scales(DNNL_ARG_DST), wrapped(cpu, {1}, dt::f32, dst_scale)},
                    {zero_points(DNNL_ARG_SRC), wrapped(cpu, {1}, dt::s32, src_zero)},
                    {zero_points(DNNL_ARG_DST), wrapped(cpu, {1}, dt::s32, dst_zero)}});
    queue.wait();

    float error = 0;
    for (size_t i = 0; i < y.size(); ++i)
        error = std::max(error, std::fabs(of_dst.value(y8[i]) - y[i]));
    const float range = 255 * of_dst.scale;
    std::printf("greatest error %.4f of a range of %.3f\n", static_cast<double>(error),
            static_cast<double>(range));
    return error < 0.04f * range ? EXIT_SUCCESS : EXIT_FAILURE;
}
