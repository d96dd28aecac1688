// SPDX-License-Identifier: Apache-2.0
// A gated activation, as in the feed-forward blocks of language models, and its gradient:
//     forward:  act = swish(gate),  dst = act * up
//     backward: diff_act = diff_dst * up,  diff_gate = diff_act * swish'(gate)
// dst and diff_gate are computed in place of act and diff_act.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim rows = 4, cols = 11008;

std::vector<float> waves(float rate) {
    std::vector<float> values(rows * cols);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = 3 * std::sin(rate * static_cast<float>(i));
    return values;
}

} // namespace

int main() {
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc md({rows, cols}, memory::data_type::f32, memory::format_tag::ab);
    std::vector<float> gate = waves(0.1f), up = waves(0.3f), diff_dst = waves(0.7f);
    std::vector<float> result(rows * cols), gradient(rows * cols);
    const auto wrap = [&](std::vector<float> &values) { return memory(md, cpu, values.data()); };
    memory gate_memory = wrap(gate), up_memory = wrap(up), diff_dst_memory = wrap(diff_dst);
    memory result_memory = wrap(result), gradient_memory = wrap(gradient);

    const eltwise_forward::primitive_desc swish(
            cpu, prop_kind::forward_training, algorithm::eltwise_swish, md, md, 1.f);
    const binary::primitive_desc product(cpu, algorithm::binary_mul, md, md, md);
    const eltwise_backward::primitive_desc swish_gradient(
            cpu, algorithm::eltwise_swish, md, md, md, 1.f, swish);

    eltwise_forward(swish).execute(s, {{DNNL_ARG_SRC, gate_memory}, {DNNL_ARG_DST, result_memory}});
    binary(product).execute(s, {{DNNL_ARG_SRC_0, result_memory}, {DNNL_ARG_SRC_1, up_memory},
                                       {DNNL_ARG_DST, result_memory}});
    binary(product).execute(s, {{DNNL_ARG_SRC_0, diff_dst_memory}, {DNNL_ARG_SRC_1, up_memory},
                                       {DNNL_ARG_DST, gradient_memory}});
    eltwise_backward(swish_gradient)
            .execute(s, {{DNNL_ARG_SRC, gate_memory}, {DNNL_ARG_DIFF_DST, gradient_memory},
                                {DNNL_ARG_DIFF_SRC, gradient_memory}});
    s.wait();

    // NaN is an error: no comparison with it is true.
    double worst = 0;
    bool is_right = true;
    for (size_t i = 0; i < result.size(); ++i) {
        const double x = gate[i], p = 1 / (1 + std::exp(-x));
        const double error = std::fabs(result[i] - x * p * up[i]);
        const double slope = p * (1 + x * (1 - p));
        const double gradient_error = std::fabs(gradient[i] - diff_dst[i] * up[i] * slope);
        worst = std::max({worst, error, gradient_error});
        is_right = is_right && error < 1e-5 && gradient_error < 1e-5;
    }
    std::printf("a gate of %d x %d: the greatest error is %g: %s\n", static_cast<int>(rows),
            static_cast<int>(cols), worst, is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
