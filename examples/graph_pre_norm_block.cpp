// SPDX-License-Identifier: Apache-2.0
// Normalizations of a pre-norm transformer block as graphs, in C++. Forward: residual addition and
// LayerNorm. Backward: LayerNormBackward and addition of the residual's gradient. Each pair is
// fused into one primitive. The example makes one step of gradient descent on gamma and beta and
// compares a gradient with a finite difference of the loss. Simple functions replace attention and
// MLP.
//
//     c++ graph_pre_norm_block.cpp -ldnnl && ./a.out

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"

namespace {

using dnnl::graph::engine;
using dnnl::graph::graph;
using dnnl::graph::logical_tensor;
using dnnl::graph::op;

constexpr int64_t tokens = 24;
constexpr int64_t features = 64;
constexpr std::size_t count = tokens * features;

using values_t = std::vector<float>;

/// Pseudo-random numbers from -1 to 1, the same in every run.
values_t noise(float phase) {
    values_t values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::sin(12.9898f * static_cast<float>(i + 1) + phase);
    return values;
}

// -- The graphs -----------------------------------------------------------------------------------

/// The edges of both graphs; their values are the ids of logical tensors.
enum edge_t : std::size_t {
    branch,
    residual,
    sum,
    gamma,
    beta,
    dst,
    mean,
    variance,
    diff_dst,
    diff_residual,
    diff_norm,
    diff_sum,
    diff_gamma,
    diff_beta,
};

logical_tensor describe(edge_t edge) {
    logical_tensor::dims dims{tokens, features};
    if (edge == mean || edge == variance) dims = {tokens};
    if (edge == gamma || edge == beta || edge == diff_gamma || edge == diff_beta) dims = {features};
    return {edge, logical_tensor::data_type::f32, dims, logical_tensor::layout_type::strided};
}

std::vector<logical_tensor> describe(const std::vector<edge_t> &edges) {
    std::vector<logical_tensor> described;
    for (edge_t edge : edges) described.push_back(describe(edge));
    return described;
}

/// An operation with default attributes.
op operation(std::size_t id, op::kind kind, const std::vector<edge_t> &inputs,
        const std::vector<edge_t> &outputs) {
    return op(id, kind, describe(inputs), describe(outputs));
}

/// sum = branch + residual; dst = LayerNorm(sum). The End makes sum an output, since its only other
/// consumer is inside the graph.
graph make_forward() {
    graph forward(engine::kind::cpu);
    forward.add_op(operation(0, op::kind::Add, {branch, residual}, {sum}));
    forward.add_op(operation(1, op::kind::LayerNorm, {sum, gamma, beta}, {dst, mean, variance}));
    forward.add_op(operation(2, op::kind::End, {sum}, {}));
    forward.finalize();
    return forward;
}

/// diff_sum = LayerNormBackward(sum, diff_dst) + diff_residual, the gradient of the residual path.
graph make_backward() {
    graph backward(engine::kind::cpu);
    backward.add_op(operation(0, op::kind::LayerNormBackward,
            {sum, diff_dst, mean, variance, gamma, beta}, {diff_norm, diff_gamma, diff_beta}));
    backward.add_op(operation(1, op::kind::Add, {diff_norm, diff_residual}, {diff_sum}));
    backward.finalize();
    return backward;
}

/// A compiled partition, and its inputs and outputs in the order of execution.
struct step_t {
    dnnl::graph::compiled_partition compiled;
    std::vector<edge_t> inputs, outputs;
};

/// Compiles the partition of both operations.
step_t compile(graph whole, const std::vector<edge_t> &inputs, const std::vector<edge_t> &outputs,
        const engine &cpu) {
    for (const auto &part : whole.get_partitions())
        if (part.is_supported() && part.get_ops_num() == 2)
            return {part.compile(describe(inputs), describe(outputs), cpu), inputs, outputs};
    throw dnnl::error(dnnl_unimplemented, "the normalization was not fused with the addition");
}

// -- A normalization with its residual addition ---------------------------------------------------

/// The parameters of a normalization, and the tensors that its backward pass needs.
struct norm_t {
    values_t gamma = values_t(features, 1.f), beta = values_t(features, 0.f);
    values_t sum = values_t(count), dst = values_t(count);
    values_t mean = values_t(tokens), variance = values_t(tokens);
    values_t diff_gamma = values_t(features), diff_beta = values_t(features);
};

class runner_t {
public:
    void forward(norm_t &norm, values_t &branch_values, values_t &residual_values) {
        run(forward_, {{branch, &branch_values}, {residual, &residual_values}, {sum, &norm.sum},
                              {gamma, &norm.gamma}, {beta, &norm.beta}, {dst, &norm.dst},
                              {mean, &norm.mean}, {variance, &norm.variance}});
    }

    void backward(norm_t &norm, values_t &diff_dst_values, values_t &diff_residual_values,
            values_t &diff_sum_values) {
        run(backward_, {{sum, &norm.sum}, {diff_dst, &diff_dst_values}, {mean, &norm.mean},
                               {variance, &norm.variance}, {gamma, &norm.gamma}, {beta, &norm.beta},
                               {diff_residual, &diff_residual_values}, {diff_sum, &diff_sum_values},
                               {diff_gamma, &norm.diff_gamma}, {diff_beta, &norm.diff_beta}});
    }

private:
    void run(const step_t &step, const std::map<edge_t, values_t *> &values) {
        const auto bind = [&](const std::vector<edge_t> &edges) {
            std::vector<dnnl::graph::tensor> tensors;
            for (edge_t edge : edges)
                tensors.emplace_back(describe(edge), cpu_, values.at(edge)->data());
            return tensors;
        };
        step.compiled.execute(stream_, bind(step.inputs), bind(step.outputs));
        stream_.wait();
    }

    engine cpu_{engine::kind::cpu, 0};
    dnnl::graph::stream stream_{cpu_};
    step_t forward_ = compile(
            make_forward(), {branch, residual, gamma, beta}, {sum, dst, mean, variance}, cpu_);
    step_t backward_ =
            compile(make_backward(), {sum, diff_dst, mean, variance, gamma, beta, diff_residual},
                    {diff_sum, diff_gamma, diff_beta}, cpu_);
};

// -- The block ------------------------------------------------------------------------------------

/// Replaces attention: each token becomes the mean of itself and the token before.
values_t attend(const values_t &src) {
    values_t result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = (src[i] + (i < features ? 0.f : src[i - features])) / 2;
    return result;
}

values_t attend_backward(const values_t &diff) {
    values_t result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = (diff[i] + (i + features < count ? diff[i + features] : 0.f)) / 2;
    return result;
}

struct block_t {
    norm_t before_attention, before_mlp;
    values_t branch = noise(0.f), residual = noise(1.f), target = noise(2.f);
    values_t diff_result = values_t(count); // gradient of the loss by the block's result
};

/// Half the mean squared error of the block's result. tanh replaces the MLP.
double forward(runner_t &runner, block_t &block) {
    runner.forward(block.before_attention, block.branch, block.residual);
    values_t attention = attend(block.before_attention.dst);
    runner.forward(block.before_mlp, attention, block.before_attention.sum);

    double loss = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float result = block.before_mlp.sum[i] + std::tanh(block.before_mlp.dst[i]);
        block.diff_result[i] = (result - block.target[i]) / count;
        loss += std::pow(static_cast<double>(result) - block.target[i], 2) / (2. * count);
    }
    return loss;
}

/// Computes the gradients of gamma and beta from diff_result.
void backward(runner_t &runner, block_t &block) {
    values_t diff_mlp(count), diff_sum(count), diff_src(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float activated = std::tanh(block.before_mlp.dst[i]);
        diff_mlp[i] = block.diff_result[i] * (1 - activated * activated);
    }
    runner.backward(block.before_mlp, diff_mlp, block.diff_result, diff_sum);
    values_t diff_attention = attend_backward(diff_sum);
    runner.backward(block.before_attention, diff_attention, diff_sum, diff_src);
}

void descend(values_t &weights, const values_t &gradient) {
    constexpr float rate = 4;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * gradient[i];
}

/// Compares the largest element of the gradient of gamma with a finite difference of the loss.
bool check_gradient(runner_t &runner, block_t &block) {
    norm_t &norm = block.before_attention;
    std::size_t at = 0;
    for (std::size_t i = 0; i < features; ++i)
        if (std::fabs(norm.diff_gamma[i]) > std::fabs(norm.diff_gamma[at])) at = i;
    const float value = norm.gamma[at], step = 1.f / 64;
    norm.gamma[at] = value + step;
    const double above = forward(runner, block);
    norm.gamma[at] = value - step;
    const double below = forward(runner, block);
    norm.gamma[at] = value;

    const double slope = (above - below) / (2 * step), gradient = norm.diff_gamma[at];
    const bool agrees = std::fabs(slope - gradient) < 1e-2 * std::fabs(gradient);
    std::printf("gamma[%d]: gradient %.6f, measured slope %.6f: %s\n", static_cast<int>(at),
            gradient, slope, agrees ? "agrees" : "DIFFERS");
    return agrees;
}

int run() {
    runner_t runner;
    block_t block;
    const double before = forward(runner, block);
    backward(runner, block);
    const bool agrees = check_gradient(runner, block);
    for (norm_t *norm : {&block.before_attention, &block.before_mlp}) {
        descend(norm->gamma, norm->diff_gamma);
        descend(norm->beta, norm->diff_beta);
    }
    const double after = forward(runner, block);
    std::printf("loss before the step %.6f, after it %.6f\n", before, after);
    return agrees && after < before ? 0 : 1;
}

} // namespace

int main() {
    try {
        return run();
    } catch (const dnnl::error &failure) {
        std::fprintf(stderr, "status %d: %s\n", static_cast<int>(failure.status), failure.what());
        return 1;
    }
}
