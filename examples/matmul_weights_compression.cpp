// SPDX-License-Identifier: Apache-2.0
// A linear layer of a language model whose weights are integers of 4 bits: each group of 32 along
// the inputs has a scale and a zero point for each output. A row of bf16 is multiplied by them.
// Prints the error of the result against arithmetic with the original weights.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int inputs = 256, outputs = 64, group = 32;

/// The values in row-major order as a memory of the type.
memory made(const engine &cpu, stream &queue, const memory::dims &dims, dt type,
        std::vector<float> values) {
    memory floats({dims, dt::f32, tag::ab}, cpu, values.data());
    memory result({dims, type, tag::ab}, cpu);
    reorder(floats, result).execute(queue, floats, result);
    queue.wait();
    return result;
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    std::vector<float> x(inputs), weights(inputs * outputs);
    for (int i = 0; i < inputs; ++i) x[i] = 1 + 0.5f * std::sin(0.1f * static_cast<float>(i));
    for (int i = 0; i < inputs * outputs; ++i)
        weights[i] = std::cos(0.37f * static_cast<float>(i)) + 0.25f;

    // Compress: 0 to 15 stand for the least to the greatest weight of a group.
    std::vector<float> quantized(weights.size()), scales, zero_points;
    for (int first = 0; first < inputs; first += group)
        for (int o = 0; o < outputs; ++o) {
            const auto at = [&](int k) { return (first + k) * outputs + o; };
            float low = 0, high = 0;
            for (int k = 0; k < group; ++k) {
                low = std::min(low, weights[at(k)]);
                high = std::max(high, weights[at(k)]);
            }
            const float scale = (high - low) / 15, zero = std::round(-low / scale);
            scales.push_back(scale);
            zero_points.push_back(zero);
            for (int k = 0; k < group; ++k)
                quantized[at(k)] = std::round(weights[at(k)] / scale) + zero;
        }

    const memory::dims of_groups{inputs / group, outputs};
    const memory src = made(cpu, queue, {1, inputs}, dt::bf16, x);
    const memory wei = made(cpu, queue, {inputs, outputs}, dt::u4, quantized);
    const memory scale = made(cpu, queue, of_groups, dt::f32, scales);
    const memory zero = made(cpu, queue, of_groups, dt::u8, zero_points);
    const memory dst({{1, outputs}, dt::f32, tag::ab}, cpu);

    primitive_attr attr;
    attr.set_fpmath_mode(fpmath_mode::bf16, true); // the weights become bf16
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {group, 1}, dt::f32);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {group, 1}, dt::u8);
    const matmul::primitive_desc pd(cpu, src.get_desc(), wei.get_desc(), dst.get_desc(), attr);
    matmul(pd).execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst},
                                      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scale},
                                      {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, zero}});
    queue.wait();

    const auto *y = static_cast<const float *>(dst.get_data_handle());
    double error = 0, size = 0;
    for (int o = 0; o < outputs; ++o) {
        double sum = 0;
        for (int k = 0; k < inputs; ++k) sum += double(x[k]) * double(weights[k * outputs + o]);
        error += (y[o] - sum) * (y[o] - sum);
        size += sum * sum;
    }
    const double relative = std::sqrt(error / size);
    std::printf("%d bytes instead of %d; relative error %.3f\n", inputs * outputs / 2,
            inputs * outputs * 4, relative);
    return relative < 0.1 ? 0 : 1;
}
