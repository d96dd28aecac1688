// SPDX-License-Identifier: Apache-2.0
// What an operation behind a norm may take beside the norm's result: tensors from outside, but
// nothing that the same primitive is still making.
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

using namespace dnnl::graph;

constexpr int64_t rows = 21, cols = 40;

enum tensor_id_t : size_t { x, residual, sum, gamma, beta, norm, mean, variance, dst };

logical_tensor describe(size_t id) {
    logical_tensor::dims dims{rows, cols};
    if (id == gamma || id == beta) dims = {cols};
    if (id == mean || id == variance) dims = {rows, 1};
    return {id, logical_tensor::data_type::f32, dims, logical_tensor::layout_type::strided};
}

std::vector<logical_tensor> list(const std::vector<size_t> &ids) {
    std::vector<logical_tensor> described;
    for (size_t id : ids) described.push_back(describe(id));
    return described;
}

/// The sum of x and a residual, its norm, then one more operation.
graph norm_and(op::kind last, const std::vector<size_t> &operands) {
    graph whole(engine::kind::cpu);
    whole.add_op(op(0, op::kind::Add, list({x, residual}), list({sum})));
    whole.add_op(
            op(1, op::kind::LayerNorm, list({sum, gamma, beta}), list({norm, mean, variance})));
    whole.add_op(op(2, last, list(operands), list({dst})));
    whole.finalize();
    return whole;
}

/// What dst holds after all partitions.
std::vector<float> run(graph whole, partition::policy policy) {
    const engine cpu(engine::kind::cpu, 0);
    stream in_order(cpu);
    std::map<size_t, std::vector<float>> values;
    const auto tensors = [&](const std::vector<logical_tensor> &ports, bool are_outputs) {
        std::vector<tensor> bound;
        for (const logical_tensor &port : ports) {
            const size_t id = port.get_id(), count = port.get_mem_size() / sizeof(float);
            std::vector<float> &held = values[id];
            if (are_outputs) held.assign(count, std::numeric_limits<float>::quiet_NaN());
            for (size_t i = held.size(); i < count; ++i)
                held.push_back(std::sin(static_cast<float>(id) + 1.7f * static_cast<float>(i)));
            bound.emplace_back(port, cpu, held.data());
        }
        return bound;
    };
    for (const partition &part : whole.get_partitions(policy)) {
        const auto inputs = part.get_input_ports(), outputs = part.get_output_ports();
        part.compile(inputs, outputs, cpu)
                .execute(in_order, tensors(inputs, false), tensors(outputs, true));
        in_order.wait();
    }
    return values[dst];
}

size_t count_partitions(graph whole) { return whole.get_partitions().size(); }

void expect_same_with_and_without_fusion(const graph &whole) {
    const auto fused = run(whole, partition::policy::fusion);
    const auto single = run(whole, partition::policy::debug);
    ASSERT_EQ(fused.size(), size_t(rows * cols));
    for (size_t i = 0; i < fused.size(); ++i) ASSERT_NEAR(fused[i], single[i], 1e-5) << "at " << i;
}

} // namespace

TEST(partition_operands, from_outside_are_fused) {
    const graph whole = norm_and(op::kind::Add, {norm, x});
    EXPECT_EQ(count_partitions(whole), 1U);
    expect_same_with_and_without_fusion(whole);
}

TEST(partition_operands, the_sum_that_is_normalized_is_none) {
    const graph whole = norm_and(op::kind::Add, {norm, sum});
    EXPECT_EQ(count_partitions(whole), 2U);
    expect_same_with_and_without_fusion(whole);
}

TEST(partition_operands, statistics_of_the_norm_are_none) {
    const graph whole = norm_and(op::kind::Multiply, {norm, variance});
    EXPECT_EQ(count_partitions(whole), 2U);
    expect_same_with_and_without_fusion(whole);
}

} // namespace kiln::test
