// SPDX-License-Identifier: Apache-2.0
// Two layers of a network for inference: the weights are packed once, in the layout that the
// library chooses for them; bias and activation are computed where the product is stored. Then
// attention scores: a batch of products of which the second factor is transposed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dim = memory::dim;
using tag = memory::format_tag;

namespace {

constexpr auto f32 = memory::data_type::f32;

std::vector<float> values(dim count, float rate) {
    std::vector<float> result(static_cast<size_t>(count));
    for (size_t i = 0; i < result.size(); ++i) result[i] = std::sin(rate * static_cast<float>(i));
    return result;
}

/// dst = relu(src * weights + bias), for batches of one size.
class layer_t {
public:
    layer_t(const engine &cpu, stream &queue, dim batch, dim inputs, dim outputs,
            const std::vector<float> &weights, const std::vector<float> &bias)
        : bias_({{1, outputs}, f32, tag::ab}, cpu)
        , dst_({{batch, outputs}, f32, tag::ab}, cpu) {
        std::copy(bias.begin(), bias.end(), static_cast<float *>(bias_.get_data_handle()));
        post_ops activation;
        activation.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
        primitive_attr attr;
        attr.set_post_ops(activation);
        // Weights of format any: the library chooses their layout.
        const matmul::primitive_desc pd(cpu, {{batch, inputs}, f32, tag::ab},
                {{inputs, outputs}, f32, tag::any}, bias_.get_desc(), dst_.get_desc(), attr);
        product_ = matmul(pd);
        weights_ = memory(pd.weights_desc(), cpu);
        memory plain({{inputs, outputs}, f32, tag::ab}, cpu, const_cast<float *>(weights.data()));
        reorder(plain, weights_).execute(queue, plain, weights_);
        queue.wait();
    }

    const memory &forward(stream &queue, const memory &src) {
        product_.execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights_},
                                        {DNNL_ARG_BIAS, bias_}, {DNNL_ARG_DST, dst_}});
        return dst_;
    }

private:
    matmul product_;
    memory weights_, bias_, dst_;
};

/// The same in a loop.
std::vector<float> layer(const std::vector<float> &src, size_t inputs, size_t outputs,
        const std::vector<float> &weights, const std::vector<float> &bias) {
    std::vector<float> dst;
    for (size_t m = 0; m < src.size() / inputs; ++m)
        for (size_t o = 0; o < outputs; ++o) {
            double sum = bias[o];
            for (size_t k = 0; k < inputs; ++k)
                sum += double(src[m * inputs + k]) * double(weights[k * outputs + o]);
            dst.push_back(static_cast<float>(std::max(sum, 0.)));
        }
    return dst;
}

void require_close(const char *what, const memory &got, const std::vector<float> &expected) {
    const auto *values = static_cast<const float *>(got.get_data_handle());
    float error = 0;
    for (size_t i = 0; i < expected.size(); ++i)
        error = std::max(error, std::fabs(values[i] - expected[i]));
    std::printf("%s: greatest error %.1e\n", what, static_cast<double>(error));
    if (!(error < 1e-4f)) std::exit(EXIT_FAILURE);
}

void run_layers(const engine &cpu, stream &queue) {
    constexpr dim batch = 8, inputs = 100, hidden = 64, outputs = 10;
    auto x = values(batch * inputs, 0.7f);
    const auto first_weights = values(inputs * hidden, 0.3f), first_bias = values(hidden, 1.f);
    const auto last_weights = values(hidden * outputs, 0.9f), last_bias = values(outputs, 2.f);
    layer_t first(cpu, queue, batch, inputs, hidden, first_weights, first_bias);
    layer_t last(cpu, queue, batch, hidden, outputs, last_weights, last_bias);

    const memory src({{batch, inputs}, f32, tag::ab}, cpu, x.data());
    const memory &dst = last.forward(queue, first.forward(queue, src));
    queue.wait();
    const auto between = layer(x, inputs, hidden, first_weights, first_bias);
    require_close("two layers", dst, layer(between, hidden, outputs, last_weights, last_bias));
}

/// scores(b, i, j) = the sum over d of query(b, i, d) * key(b, j, d).
void run_scores(const engine &cpu, stream &queue) {
    constexpr dim heads = 4, tokens = 20, size = 16;
    auto query = values(heads * tokens * size, 0.2f), key = values(heads * tokens * size, 0.5f);
    const memory::dims dims{heads, tokens, size};
    const memory q({dims, f32, tag::abc}, cpu, query.data());
    // The transposed keys, size x tokens, where the keys lie: acb has the middle axis innermost.
    const memory k({{heads, size, tokens}, f32, tag::acb}, cpu, key.data());
    const memory scores({{heads, tokens, tokens}, f32, tag::abc}, cpu);
    matmul({cpu, q.get_desc(), k.get_desc(), scores.get_desc()})
            .execute(queue, {{DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, scores}});
    queue.wait();
    std::vector<float> expected;
    for (dim i = 0; i < heads * tokens; ++i)
        for (dim j = 0; j < tokens; ++j) {
            double sum = 0;
            for (dim d = 0; d < size; ++d)
                sum += double(query[i * size + d])
                       * double(key[(i / tokens * tokens + j) * size + d]);
            expected.push_back(static_cast<float>(sum));
        }
    require_close("scores", scores, expected);
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    run_layers(cpu, queue);
    run_scores(cpu, queue);
    return EXIT_SUCCESS;
}
