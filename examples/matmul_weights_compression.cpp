// SPDX-License-Identifier: Apache-2.0
// A linear layer of a language model whose weights are integers of few bits: each group of weights
// of an output has a scale, and a zero point where its integers are unsigned. One row of bf16 is
// multiplied by them, as when a model generates a token. Prints the error of each kind of weights.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr memory::dim inputs = 256, outputs = 64;

struct compression_t {
    const char *name;
    dt type;
    float least, greatest;
    memory::dim group; // of inputs
    int bits;
    double bound; // of the relative error

    bool has_zero_points() const { return least == 0; }
    memory::dims dims_of_groups() const { return {inputs / group, outputs}; }
};

const compression_t compressions[] = {
        {"s8, a scale for each output", dt::s8, -127, 127, inputs, 8, 0.005},
        {"s4, groups of 32", dt::s4, -7, 7, 32, 4, 0.05},
        {"u4, groups of 32 with zero points", dt::u4, 0, 15, 32, 4, 0.05},
};

struct compressed_t {
    std::vector<float> weights, scales, zero_points; // integers, as floats; of each group
};

compressed_t compress(const std::vector<float> &weights, const compression_t &to) {
    compressed_t result;
    result.weights.resize(weights.size());
    for (memory::dim first = 0; first < inputs; first += to.group)
        for (memory::dim o = 0; o < outputs; ++o) {
            const auto at = [&](memory::dim k) { return (first + k) * outputs + o; };
            float low = 0, high = 0;
            for (memory::dim k = 0; k < to.group; ++k) {
                low = std::min(low, weights[at(k)]);
                high = std::max(high, weights[at(k)]);
            }
            const float scale = to.has_zero_points() ? (high - low) / (to.greatest - to.least)
                                                     : std::max(high, -low) / to.greatest;
            const float zero = to.has_zero_points() ? std::round(-low / scale) : 0;
            result.scales.push_back(scale);
            result.zero_points.push_back(zero);
            for (memory::dim k = 0; k < to.group; ++k)
                result.weights[at(k)] = std::clamp(
                        std::round(weights[at(k)] / scale) + zero, to.least, to.greatest);
        }
    return result;
}

/// The floats as a memory of another type and layout.
memory converted(
        const engine &cpu, stream &queue, const memory::desc &to, std::vector<float> &from) {
    memory floats({to.get_dims(), dt::f32, tag::ab}, cpu, from.data()), result(to, cpu);
    reorder(floats, result).execute(queue, floats, result);
    queue.wait();
    return result;
}

/// dst of the layer with compressed weights.
std::vector<float> layer(const engine &cpu, stream &queue, std::vector<float> &x,
        compressed_t &compressed, const compression_t &how) {
    primitive_attr attr;
    attr.set_fpmath_mode(fpmath_mode::bf16, true); // the weights become bf16
    // Axis 0 is cut into groups, axis 1 has one for each output: bits 0 and 1 of the mask.
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {how.group, 1}, dt::f32);
    if (how.has_zero_points()) attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {how.group, 1}, dt::u8);
    const memory::desc row({1, inputs}, dt::bf16, tag::ab), result({1, outputs}, dt::f32, tag::ab);
    const matmul::primitive_desc pd(
            cpu, row, {{inputs, outputs}, how.type, tag::any}, result, attr);

    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, converted(cpu, queue, row, x)},
            {DNNL_ARG_WEIGHTS, converted(cpu, queue, pd.weights_desc(), compressed.weights)},
            {DNNL_ARG_DST, memory(result, cpu)},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                    converted(cpu, queue, {how.dims_of_groups(), dt::f32, tag::ab},
                            compressed.scales)}};
    if (how.has_zero_points())
        arguments[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS] = converted(
                cpu, queue, {how.dims_of_groups(), dt::u8, tag::ab}, compressed.zero_points);
    matmul(pd).execute(queue, arguments);
    queue.wait();
    const auto *values = static_cast<const float *>(arguments[DNNL_ARG_DST].get_data_handle());
    return {values, values + outputs};
}

double relative_error(const std::vector<float> &x, const std::vector<float> &weights,
        const std::vector<float> &y) {
    double error = 0, size = 0;
    for (size_t o = 0; o < outputs; ++o) {
        double sum = 0;
        for (size_t k = 0; k < inputs; ++k) sum += double(x[k]) * double(weights[k * outputs + o]);
        error += (double(y[o]) - sum) * (double(y[o]) - sum);
        size += sum * sum;
    }
    return std::sqrt(error / size);
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    std::vector<float> x(inputs), weights(inputs * outputs);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 1 + 0.5f * std::sin(0.1f * static_cast<float>(i));
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::cos(0.37f * static_cast<float>(i)) + 0.25f;
    for (const compression_t &how : compressions) {
        compressed_t compressed = compress(weights, how);
        const double error = relative_error(x, weights, layer(cpu, queue, x, compressed, how));
        std::printf("%s: %d bytes instead of %d, relative error %.4f\n", how.name,
                int(inputs * outputs) * how.bits / 8, int(inputs * outputs) * 4, error);
        if (!(error < how.bound)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
