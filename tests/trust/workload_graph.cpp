// SPDX-License-Identifier: Apache-2.0
// Graphs.
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"
#include "trust/workload_problems.hpp"

namespace kiln::test::workload {
namespace {

namespace g = dnnl::graph;
constexpr auto strided = g::logical_tensor::layout_type::strided;

/// Compiles and executes each partition.
uint64_t run(const engine &engine, g::graph &whole, random_t &random) {
    whole.finalize();
    uint64_t result = first_hash;
    for (const g::partition &part : whole.get_partitions()) {
        const std::vector<g::logical_tensor> inputs = part.get_input_ports();
        const std::vector<g::logical_tensor> outputs = part.get_output_ports();
        const g::compiled_partition compiled = part.compile(inputs, outputs, engine);
        std::vector<std::vector<std::byte>> buffers;
        const auto tensors_of = [&](const std::vector<g::logical_tensor> &described) {
            std::vector<g::tensor> made;
            for (const g::logical_tensor &one : described) {
                buffers.emplace_back(compiled.query_logical_tensor(one.get_id()).get_mem_size());
                fill(buffers.back().data(), buffers.back().size(),
                        static_cast<type_t>(one.get_data_type()), random);
                made.emplace_back(one, engine, buffers.back().data());
            }
            return made;
        };
        const std::vector<g::tensor> from = tensors_of(inputs), to = tensors_of(outputs);
        dnnl::stream stream(engine);
        compiled.execute(stream, from, to);
        stream.wait();
        for (const auto &buffer : buffers) result = hash(result, buffer.data(), buffer.size());
    }
    return result;
}

/// A residual addition and a layer normalization: one partition.
void add_layer_norm(g::graph &whole, random_t &random) {
    const auto type =
            random.one_of({g::logical_tensor::data_type::f32, g::logical_tensor::data_type::bf16});
    const dims_t dims{random.between(1, 40), random.between(1, 200)}, channels{dims[1]};
    std::vector<g::logical_tensor> tensors;
    for (const size_t id : {0, 1, 2, 5}) tensors.emplace_back(id, type, dims, strided);
    const g::logical_tensor gamma(3, g::logical_tensor::data_type::f32, channels, strided);
    const g::logical_tensor beta(4, g::logical_tensor::data_type::f32, channels, strided);
    const g::logical_tensor &branch = tensors[0], &residual = tensors[1], &sum = tensors[2];
    const g::logical_tensor &dst = tensors[3];
    whole.add_op(g::op(0, g::op::kind::Add, {branch, residual}, {sum}));
    g::op norm(1, g::op::kind::LayerNorm, {sum, gamma, beta}, {dst});
    norm.set_attr<bool>(g::op::attr::keep_stats, false);
    whole.add_op(norm);
}

/// A matrix product, a bias, a GELU.
void add_matmul(g::graph &whole, random_t &random) {
    const auto type =
            random.one_of({g::logical_tensor::data_type::f32, g::logical_tensor::data_type::bf16});
    const int64_t rows = random.between(1, 40), columns = random.between(1, 100),
                  length = random.between(1, 200);
    const g::logical_tensor src(0, type, dims_t{rows, length}, strided);
    const g::logical_tensor weights(1, type, dims_t{length, columns}, strided);
    const g::logical_tensor bias(2, type, dims_t{columns}, strided);
    const g::logical_tensor product(3, type, dims_t{rows, columns}, strided);
    const g::logical_tensor dst(4, type, dims_t{rows, columns}, strided);
    whole.add_op(g::op(0, g::op::kind::MatMul, {src, weights, bias}, {product}));
    g::op gelu(1, g::op::kind::GELU, {product}, {dst});
    whole.add_op(gelu);
}

} // namespace

uint64_t graph(const engine &engine, random_t &random) {
    g::graph whole(dnnl::engine::kind::cpu);
    random.next() % 2 == 0 ? add_layer_norm(whole, random) : add_matmul(whole, random);
    return run(engine, whole, random);
}

} // namespace kiln::test::workload
