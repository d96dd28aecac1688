// SPDX-License-Identifier: Apache-2.0
// Compiling and executing partitions: checks of tensors, queries, threads.
#include <thread>

#include <tbb/task_arena.h>

#include "api/status_of.hpp"
#include "graph/call.hpp"

namespace kiln::test {

namespace {

using layout_t = logical_tensor::layout_type;
using dnnl::graph::tensor;
const dims_t matrix{12, 72};

/// RMSNorm of x + residual, where the sum is an output.
struct block_t {
    explicit block_t(type_t type = f32, const dims_t &dims = matrix)
        : x(network.input(type, dims))
        , residual(network.input(type, dims))
        , sum(network.add(kind_t::Add, {x, residual}))
        , gamma(network.weight(f32, {dims.back()}))
        , dst(network.add(kind_t::RMSNorm, {sum, gamma})) {
        add_end(network, sum);
    }
    network_t network;
    size_t x, residual, sum, gamma, dst;
};

dnnl_status_t compile_status(const dnnl::graph::partition &partition,
        const std::vector<logical_tensor> &inputs, const std::vector<logical_tensor> &outputs) {
    return status_of([&] { partition.compile(inputs, outputs, test_engine()); });
}

logical_tensor lt_of(size_t id, const dims_t &dims, type_t type = f32) {
    return {id, type, dims, layout_t::strided};
}

// ---- compilation

TEST(graph_compilation, requires_inputs_of_known_shape_and_layout) {
    const block_t block;
    const auto partition = block.network.partitions()[0];
    const auto at = [&](size_t id) { return block.network.at_hand(id); };
    const std::vector<logical_tensor> outputs{at(block.sum), at(block.dst)};
    const auto status = [&](const logical_tensor &x) {
        return compile_status(partition, {x, at(block.residual), at(block.gamma)}, outputs);
    };
    EXPECT_EQ(status(at(block.x)), dnnl_success);
    EXPECT_EQ(status({block.x, f32, -1, layout_t::strided}), dnnl_invalid_arguments) << "no rank";
    EXPECT_EQ(status({block.x, f32, {12, DNNL_GRAPH_UNKNOWN_DIM}, layout_t::strided}),
            dnnl_invalid_arguments)
            << "an unknown extent";
    EXPECT_EQ(status({block.x, f32, matrix, layout_t::any}), dnnl_invalid_arguments) << "any";
    EXPECT_EQ(status({block.x, f32, matrix, layout_t::undef}), dnnl_invalid_arguments) << "undef";
    EXPECT_EQ(status({block.x, f32, matrix, size_t(1) << 40}), dnnl_invalid_arguments)
            << "an opaque layout with an unknown id";
    EXPECT_EQ(status({block.x, bf16, matrix, layout_t::strided}), dnnl_invalid_arguments)
            << "another type";
    EXPECT_EQ(status(lt_of(77, matrix)), dnnl_invalid_arguments) << "a missing input";
    EXPECT_EQ(compile_status(partition, {at(block.x), at(block.residual), at(block.gamma)},
                      {at(block.sum)}),
            dnnl_invalid_arguments)
            << "a missing output";
}

TEST(graph_compilation, refuses_shapes_that_contradict_each_other) {
    const block_t block;
    const auto partition = block.network.partitions()[0];
    const auto at = [&](size_t id) { return block.network.at_hand(id); };
    const auto status = [&](const logical_tensor &residual, const logical_tensor &dst) {
        return compile_status(
                partition, {at(block.x), residual, at(block.gamma)}, {at(block.sum), dst});
    };
    EXPECT_EQ(status(lt_of(block.residual, {12, 71}), at(block.dst)), dnnl_invalid_shape);
    EXPECT_EQ(status(at(block.residual), lt_of(block.dst, {12, 71})), dnnl_invalid_shape);
    EXPECT_EQ(status(at(block.residual), lt_of(block.dst, {12, 72, 1})), dnnl_invalid_shape);
}

TEST(graph_compilation, accepts_tensors_in_any_order_and_ignores_others) {
    const block_t block;
    const auto partition = block.network.partitions()[0];
    const auto at = [&](size_t id) { return block.network.at_hand(id); };
    const auto compiled =
            partition.compile({at(block.gamma), lt_of(99, {3}), at(block.residual), at(block.x)},
                    {at(block.dst), at(block.sum)}, test_engine());
    std::map<size_t, guarded_buffer_t> buffers;
    const auto bind = [&](size_t id) {
        const bool is_input = id != block.sum && id != block.dst;
        const auto at_id = buffers.emplace(id, block.network.buffer_of(id, is_input)).first;
        return tensor(at(id), test_engine(), at_id->second.data());
    };
    float other[3]{};
    dnnl::stream stream(test_engine());
    compiled.execute(stream,
            {bind(block.gamma), tensor(lt_of(99, {3}), test_engine(), other), bind(block.residual),
                    bind(block.x)},
            {bind(block.dst), bind(block.sum)});
    for (const size_t id : {block.sum, block.dst})
        EXPECT_TRUE(block.network.is_right(id, block.network.read(id, buffers.at(id).data())));
}

TEST(graph_compilation, returns_inferred_shapes_and_layouts) {
    const block_t block;
    const auto partition = block.network.partitions()[0];
    const auto at = [&](size_t id) { return block.network.at_hand(id); };
    const auto compiled = partition.compile({at(block.x), at(block.residual), at(block.gamma)},
            {{block.sum, f32, -1, layout_t::any}, {block.dst, f32, -1, layout_t::strided}},
            test_engine());
    for (const size_t id : {block.sum, block.dst}) {
        const logical_tensor told = compiled.query_logical_tensor(id);
        EXPECT_EQ(told.get_dims(), matrix);
        EXPECT_EQ(told.get_layout_type(), layout_t::strided);
        EXPECT_EQ(told.get_strides(), (dims_t{72, 1}));
        EXPECT_EQ(told.get_mem_size(), 12 * 72 * sizeof(float));
    }
    EXPECT_EQ(compiled.query_logical_tensor(block.x).get_dims(), matrix);
    EXPECT_EQ(status_of([&] { compiled.query_logical_tensor(99); }), dnnl_invalid_arguments);
}

TEST(graph_compilation, chooses_the_layout_of_the_source_for_layout_any) {
    network_t net;
    const size_t src = net.input(f32, {4, 6, 8}, {.strides = {1, 32, 4}});
    const size_t dst = net.add(kind_t::ReLU, {src});
    const auto partition = net.partitions()[0];
    const auto compiled = partition.compile(
            {net.at_hand(src)}, {{dst, f32, {4, 6, 8}, layout_t::any}}, test_engine());
    EXPECT_EQ(compiled.query_logical_tensor(dst).get_strides(), (dims_t{1, 32, 4}));
}

TEST(graph_compilation, returns_layouts_that_the_next_partition_accepts) {
    network_t net;
    const size_t src = net.input(f32, {4, 6, 8}, {.strides = {1, 32, 4}});
    const size_t between = net.add(kind_t::Wildcard, {add_norm(net, kind_t::LayerNorm, src)});
    net.set_layout_any(net.add(kind_t::Tanh, {between}));
    for (const auto &part : net.partitions()) {
        if (!part.is_supported()) continue;
        EXPECT_NO_THROW(call_t(net, part));
    }
}

TEST(graph_compilation, of_one_partition_does_not_accept_the_object_of_another) {
    network_t net;
    const size_t src = net.input(f32, matrix);
    net.add(kind_t::ReLU, {src});
    net.add(kind_t::Tanh, {src});
    const auto parts = net.partitions();
    ASSERT_EQ(parts.size(), 2U);
    dnnl_graph_compiled_partition_t compiled = nullptr;
    ASSERT_EQ(dnnl_graph_compiled_partition_create(&compiled, parts[0].get()), dnnl_success);
    const dnnl::graph::compiled_partition owner(compiled);
    EXPECT_EQ(dnnl_graph_partition_compile(
                      parts[1].get(), compiled, 0, nullptr, 0, nullptr, test_engine().get()),
            dnnl_invalid_arguments);
    // It is not compiled.
    EXPECT_EQ(status_of([&] { owner.query_logical_tensor(src); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { owner.get_inplace_ports(); }), dnnl_invalid_arguments);
    dnnl::stream stream(test_engine());
    EXPECT_EQ(status_of([&] { owner.execute(stream, {}, {}); }), dnnl_invalid_arguments);
}

// ---- execution

TEST(graph_execution, requires_every_tensor_with_a_buffer_of_its_size) {
    const block_t block;
    const call_t call(block.network);
    auto inputs = call.inputs(), outputs = call.outputs();
    EXPECT_EQ(call.status_of_execution(inputs, outputs), dnnl_success);
    EXPECT_EQ(call.status_of_execution({inputs[0], inputs[1]}, outputs), dnnl_invalid_arguments);
    EXPECT_EQ(call.status_of_execution(inputs, {outputs[0]}), dnnl_invalid_arguments);
    EXPECT_EQ(call.status_of_execution(inputs, {}), dnnl_invalid_arguments);
    auto nowhere = inputs;
    nowhere[1] = call.tensor(block.residual, nullptr);
    EXPECT_EQ(call.status_of_execution(nowhere, outputs), dnnl_invalid_arguments);
    auto smaller = outputs;
    std::vector<float> few(12 * 71);
    smaller[0] = tensor(lt_of(block.sum, {12, 71}), test_engine(), few.data());
    EXPECT_EQ(call.status_of_execution(inputs, smaller), dnnl_invalid_arguments);
}

TEST(graph_execution, matches_tensors_by_id) {
    const block_t block;
    const call_t call(block.network);
    auto inputs = call.inputs(), outputs = call.outputs();
    std::reverse(inputs.begin(), inputs.end());
    std::reverse(outputs.begin(), outputs.end());
    EXPECT_EQ(call.status_of_execution(inputs, outputs), dnnl_success);
    EXPECT_TRUE(block.network.is_right(
            block.dst, block.network.read(block.dst,
                               static_cast<const std::byte *>(outputs[0].get_data_handle()))));
}

TEST(graph_execution, refuses_null_pointers) {
    const block_t block;
    const call_t call(block.network);
    dnnl::stream stream(test_engine());
    const_dnnl_graph_tensor_t none[3]{};
    EXPECT_EQ(dnnl_graph_compiled_partition_execute(
                      call.compiled.get(), stream.get(), 3, none, 2, none),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_graph_compiled_partition_execute(
                      call.compiled.get(), stream.get(), 3, nullptr, 2, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_graph_compiled_partition_execute(nullptr, stream.get(), 0, nullptr, 0, nullptr),
            dnnl_invalid_arguments);
}

TEST(graph_execution, accepts_the_callers_scratchpad_or_refuses_it) {
    network_t net; // src needs a copy: its normalized axes cannot be joined
    const size_t src = net.input(f32, {3, 4, 8}, {.strides = {1, 24, 3}});
    net.add(kind_t::RMSNorm, {src}, with_axis(1));
    const call_t call(net);
    const logical_tensor needed = call.compiled.get_scratchpad_logical_tensor();
    ASSERT_EQ(needed.get_data_type(), u8);
    ASSERT_EQ(needed.get_dims().size(), 1U);
    const size_t bytes = needed.get_mem_size();
    ASSERT_GE(bytes, 3 * 4 * 8 * sizeof(float));
    for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
        guarded_buffer_t buffer(bytes, placement);
        EXPECT_EQ(call.status_of_execution(call.inputs(), call.outputs(),
                          tensor(needed, test_engine(), buffer.data())),
                dnnl_success);
    }
    std::vector<std::byte> buffer(bytes);
    const auto refused = [&](int64_t count, void *data) {
        const logical_tensor lt(needed.get_id(), u8, dims_t{count}, layout_t::strided);
        return call.status_of_execution(
                call.inputs(), call.outputs(), tensor(lt, test_engine(), data));
    };
    EXPECT_EQ(refused(static_cast<int64_t>(bytes) - 1, buffer.data()), dnnl_invalid_arguments);
    EXPECT_EQ(refused(static_cast<int64_t>(bytes), nullptr), dnnl_invalid_arguments);
    EXPECT_TRUE(call.is_right()) << "the library allocates a scratchpad";
}

TEST(graph_execution, in_place_pairs_have_one_layout_and_one_primitive) {
    const auto pairs_of = [](const network_t &net) {
        return call_t(net).compiled.get_inplace_ports();
    };
    using pairs_t = std::vector<std::pair<size_t, size_t>>;
    network_t norm, cast, strided, folded;
    const size_t src = norm.input(f32, matrix);
    const size_t dst = norm.add(kind_t::RMSNorm, {src});
    EXPECT_EQ(pairs_of(norm), (pairs_t{{src, dst}}));
    cast.add(kind_t::TypeCast, {cast.input(f32, matrix)}, bf16);
    EXPECT_EQ(pairs_of(cast), pairs_t());
    strided.set_strides(strided.add(kind_t::ReLU, {strided.input(f32, matrix)}), {1, 12});
    EXPECT_EQ(pairs_of(strided), pairs_t());
    folded.add(
            kind_t::RMSNorm, {folded.input(f32, {3, 4, 8}, {.strides = {1, 24, 3}})}, with_axis(1));
    EXPECT_EQ(pairs_of(folded), pairs_t());
    const block_t block;
    for (const auto &[from, to] : pairs_of(block.network)) {
        EXPECT_TRUE(from == block.x || from == block.residual);
        EXPECT_TRUE(to == block.dst || to == block.sum);
    }
}

TEST(graph_execution, accepts_host_scalars) {
    network_t net;
    const size_t src = net.input(f32, {4, 8});
    const size_t factor =
            net.input(f32, {}, {.property = property_t::host_scalar, .values = {0.25}});
    net.add(kind_t::Multiply, {src, factor});
    EXPECT_TRUE(call_t(net).is_right());
}

TEST(graph_execution, accepts_a_zero_point_that_is_a_host_scalar) {
    network_t net;
    const size_t src = net.input(f32, {4, 8});
    const size_t scale = net.input(f32, {1}, {.values = {0.05}});
    const size_t point =
            net.input(type_t::s32, {}, {.property = property_t::host_scalar, .values = {3}});
    net.add(kind_t::DynamicQuantize, {src, scale, point}, u8,
            attributes_t{{attr_name_t::qtype, std::string("per_tensor")}});
    EXPECT_TRUE(call_t(net).is_right());
}

// ---- threads

/// A network with several fusions, large enough for several threads.
network_t large_network() {
    network_t net;
    const size_t sum = add_sum(net, f32, {96, 640});
    const size_t dst = net.add(kind_t::LayerNorm,
            {sum, net.weight(bf16, {640}), net.weight(bf16, {640})}, f32, without_statistics());
    add_dynamic_quantization(net, add_silu(net, dst), true);
    add_end(net, sum);
    return net;
}

TEST(graph_execution, runs_on_many_threads_at_once) {
    const network_t net = large_network();
    const call_t call(net);
    const auto expected = call.execute();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 5; ++turn) EXPECT_EQ(call.execute(), expected);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_TRUE(call.is_right());
}

TEST(graph_execution, compiles_on_many_threads_at_once) {
    const network_t net = large_network();
    const auto partition = net.partitions()[0];
    const auto expected = call_t(net, partition).execute();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { EXPECT_EQ(call_t(net, partition).execute(), expected); });
    for (std::thread &thread : threads) thread.join();
}

TEST(graph_execution, is_bit_identical_for_any_number_of_threads) {
    network_t backward;
    const auto gradients = add_layer_norm_backward(
            backward, backward.input(f32, {300, 200}), backward.input(f32, {300, 200}));
    backward.add(kind_t::Add, {gradients[0], backward.input(f32, {300, 200})});
    network_t training;
    training.add(kind_t::ReLU, {add_norm(training, kind_t::BatchNormForwardTraining,
                                       training.input(f32, {8, 30, 64}))});
    const network_t forward = large_network();
    for (const network_t *net : {&std::as_const(backward), &std::as_const(training), &forward}) {
        std::vector<double> expected;
        for (const int threads : {1, 2, 3, 7}) {
            tbb::task_arena arena(threads);
            arena.execute([&] {
                const call_t call(*net);
                const auto values = call.execute();
                if (expected.empty()) expected = values;
                EXPECT_EQ(values, expected) << threads << " threads";
            });
        }
    }
}

} // namespace

} // namespace kiln::test
