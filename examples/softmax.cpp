// SPDX-License-Identifier: Apache-2.0
// A classifier's loss: logsoftmax of scores, the loss of the right classes, and its gradient.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

int main() {
    constexpr memory::dim samples = 3, classes = 4;
    const engine cpu(engine::kind::cpu, 0);
    stream astream(cpu);
    const memory::desc md({samples, classes}, memory::data_type::f32, memory::format_tag::ab);

    std::vector<float> scores{2, 1, 0, -1, 0, 0, 0, 0, -3, 5, 1, 0};
    const std::vector<size_t> right{0, 2, 1};
    std::vector<float> logs(scores.size()), diff_logs(scores.size()), diff_scores(scores.size());
    const memory src(md, cpu, scores.data()), dst(md, cpu, logs.data());

    // Forward: logs = scores - log(sum(exp(scores))) along axis 1.
    const softmax_forward::primitive_desc forward(
            cpu, prop_kind::forward_training, algorithm::softmax_log, md, md, 1);
    softmax_forward(forward).execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    astream.wait();

    float loss = 0;
    for (size_t i = 0; i < right.size(); ++i) {
        const size_t at = i * classes + right[i];
        loss -= logs[at] / samples;
        diff_logs[at] = -1.f / samples;
    }

    // Backward: the gradient of the loss with respect to scores.
    const memory diff_dst(md, cpu, diff_logs.data()), diff_src(md, cpu, diff_scores.data());
    const softmax_backward::primitive_desc backward(
            cpu, algorithm::softmax_log, md, md, md, 1, forward);
    softmax_backward(backward).execute(astream,
            {{DNNL_ARG_DST, dst}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    astream.wait();

    // It is (probability - 1) / samples for the right class and probability / samples for others.
    std::printf("loss %.4f\n", static_cast<double>(loss));
    for (size_t i = 0; i < scores.size(); ++i) {
        const bool is_right = right[i / classes] == i % classes;
        const float expected = (std::exp(logs[i]) - (is_right ? 1.f : 0.f)) / samples;
        std::printf("%8.4f%s", static_cast<double>(diff_scores[i]), i % classes == 3 ? "\n" : "");
        if (!(std::fabs(diff_scores[i] - expected) < 1e-6f)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
