// SPDX-License-Identifier: Apache-2.0
// Partitioning: which operations are fused with a normalization, and what can be queried from
// partitions.
#include "api/status_of.hpp"
#include "graph/networks.hpp"
#include "graph/partitioning_checks.hpp"

namespace kiln::test {

namespace {

const dims_t image{2, 6, 4}, matrix{6, 16};

// ---- operations that are fused

TEST(partitioning, a_residual_addition_is_fused_with_the_norm_after_it) {
    expect_whole(row_norms, true, [](network_t &net, kind_t kind) {
        const size_t sum = add_sum(net, f32, matrix);
        add_norm(net, kind, sum);
    });
}

TEST(partitioning, a_residual_addition_is_fused_even_if_its_sum_has_other_consumers) {
    for (const kind_t kind : row_norms) {
        network_t net;
        const size_t sum = add_sum(net, f32, matrix);
        add_norm(net, kind, sum);
        add_end(net, sum);
        EXPECT_EQ(net.partition_ops(), (parts_t{{1, 2}, {3}})) << name_of(kind);
        const auto outputs = net.partitions()[0].get_output_ports();
        ASSERT_EQ(outputs.size(), 2U);
        EXPECT_EQ(outputs[0].get_id(), sum);
    }
}

TEST(partitioning, conversions_are_fused_with_the_norm_after_them) {
    expect_whole(norms, true, [](network_t &net, kind_t kind) {
        add_norm(net, kind, net.add(kind_t::TypeCast, {net.input(bf16, image)}, f32));
    });
    expect_whole(norms, true, [](network_t &net, kind_t kind) {
        const size_t src = net.input(s8, image);
        add_norm(net, kind, net.add(kind_t::Dequantize, {src}, f32, with_scale(0.1f)));
    });
    expect_whole({kind_t::LayerNorm, kind_t::GroupNorm}, true, [](network_t &net, kind_t kind) {
        const size_t src = net.input(s8, image);
        add_norm(net, kind, net.add(kind_t::Dequantize, {src}, f32, with_scale(0.1f, 3)));
    });
}

TEST(partitioning, relu_backward_is_fused_with_the_batch_norm_after_it) {
    network_t net;
    const size_t gated =
            net.add(kind_t::ReLUBackward, {net.input(f32, image), net.input(f32, image)});
    add_batch_norm_backward(net, net.input(f32, image), gated);
    EXPECT_TRUE(is_whole(net));
}

TEST(partitioning, dynamic_quantization_of_rows_is_fused_with_the_norm) {
    for (const bool reshapes : {false, true})
        expect_whole(row_norms, true, [&](network_t &net, kind_t kind) {
            add_dynamic_quantization(net, add_norm(net, kind, net.input(f32, matrix)), reshapes);
        });
}

TEST(partitioning, an_addition_and_relu_are_fused_with_batch_norm_inference) {
    network_t net;
    const size_t dst = add_norm(net, kind_t::BatchNormInference, net.input(f32, image));
    net.add(kind_t::ReLU, {net.add(kind_t::Add, {net.input(f32, image), dst})});
    EXPECT_TRUE(is_whole(net));
}

TEST(partitioning, elementwise_operations_are_fused_with_the_norm_before_them) {
    expect_whole(all_norms, true, [](network_t &net, kind_t kind) {
        net.add(kind_t::ReLU, {add_norm(net, kind, net.input(f32, image))});
    });
    expect_whole(all_norms, true, [](network_t &net, kind_t kind) {
        add_silu(net, add_norm(net, kind, net.input(f32, image)));
    });
}

TEST(partitioning, binary_operations_are_fused_with_the_norm_before_them) {
    for (const kind_t binary : {kind_t::Add, kind_t::Multiply, kind_t::Maximum, kind_t::Minimum,
                 kind_t::Subtract, kind_t::Divide, kind_t::SquaredDifference})
        for (const dims_t &dims : {image, dims_t{4}, dims_t{1}, dims_t{6, 1}})
            expect_whole(norms, true, [&](network_t &net, kind_t kind) {
                const size_t dst = add_norm(net, kind, net.input(f32, image));
                net.add(binary, {dst, net.input(f32, dims)});
            });
}

TEST(partitioning, the_result_may_be_the_second_operand_of_commutative_operations) {
    for (const kind_t binary : {kind_t::Add, kind_t::Multiply, kind_t::Maximum, kind_t::Minimum})
        expect_whole(norms, true, [&](network_t &net, kind_t kind) {
            const size_t dst = add_norm(net, kind, net.input(f32, image));
            net.add(binary, {net.input(f32, {4}), dst});
        });
    for (const kind_t binary : {kind_t::Subtract, kind_t::Divide})
        expect_whole(norms, false, [&](network_t &net, kind_t kind) {
            const size_t dst = add_norm(net, kind, net.input(f32, image));
            net.add(binary, {net.input(f32, image), dst});
        });
}

TEST(partitioning, conversions_are_fused_with_the_norm_before_them) {
    expect_whole(norms, true, [](network_t &net, kind_t kind) {
        net.add(kind_t::TypeCast, {add_norm(net, kind, net.input(f32, image))}, bf16);
    });
    expect_whole(norms, true, [](network_t &net, kind_t kind) {
        const size_t dst = add_norm(net, kind, net.input(f32, image));
        net.add(kind_t::Quantize, {dst}, u8, with_scale(0.1f, 3));
    });
    expect_whole(norms, true, [](network_t &net, kind_t kind) {
        const size_t dst = add_norm(net, kind, net.input(bf16, image));
        const size_t wide = net.add(kind_t::TypeCast, {net.add(kind_t::GELU, {dst})}, f32);
        net.add(kind_t::Quantize, {wide}, s8, with_scales(4, 2));
    });
}

TEST(partitioning, an_added_gradient_is_fused_with_layer_norm_backward) {
    network_t net;
    const auto gradients =
            add_layer_norm_backward(net, net.input(f32, matrix), net.input(f32, matrix));
    net.add(kind_t::Add, {net.input(f32, matrix), gradients[0]});
    EXPECT_TRUE(is_whole(net));
}

TEST(partitioning, elementwise_operations_form_chains_without_a_norm) {
    network_t net;
    const size_t sum = add_sum(net, f32, image);
    const size_t gated = net.add(kind_t::Multiply, {add_silu(net, sum), net.input(f32, {4})});
    net.add(kind_t::Quantize, {net.add(kind_t::Tanh, {gated})}, s8, with_scale(0.01f));
    EXPECT_TRUE(is_whole(net));
    network_t dequantized;
    const size_t src = dequantized.add(
            kind_t::Dequantize, {dequantized.input(u8, image)}, f32, with_scale(0.1f, 7));
    dequantized.add(kind_t::TypeCast, {dequantized.add(kind_t::ReLU, {src})}, f16);
    EXPECT_TRUE(is_whole(dequantized));
}

TEST(partitioning, rules_combine) {
    network_t net;
    const size_t sum = add_sum(net, f32, matrix);
    const size_t dst = add_norm(net, kind_t::RMSNorm, sum);
    const size_t gated = net.add(kind_t::Multiply, {dst, net.input(f32, {16})});
    add_dynamic_quantization(net, gated, true);
    add_end(net, sum);
    EXPECT_EQ(net.partition_ops(), (parts_t{{1, 2, 3, 4, 5, 6, 7, 8}, {9}}));
}

TEST(partitioning, an_operation_between_two_norms_is_fused_with_the_second) {
    // The sum is the residual addition of the second norm, not a post-op of the first.
    network_t net;
    const size_t x = net.input(f32, matrix);
    const size_t first = add_norm(net, kind_t::LayerNorm, x);
    const size_t sum = net.add(kind_t::Add, {x, net.input(f32, matrix)});
    net.add(kind_t::Subtract, {first, add_norm(net, kind_t::LayerNorm, sum)});
    const auto parts = net.partition_ops();
    EXPECT_EQ(parts.size(), 2U);
}

// ---- queries

TEST(partitioning, the_debug_policy_makes_single_operations) {
    network_t net;
    const size_t sum = add_sum(net, f32, image);
    net.add(kind_t::ReLU, {add_norm(net, kind_t::LayerNorm, sum)});
    EXPECT_EQ(net.partition_ops(policy_t::debug), (parts_t{{1}, {2}, {3}}));
    EXPECT_TRUE(is_whole(net));
}

TEST(partitioning, partitions_are_in_an_execution_order_for_any_order_of_operations) {
    network_t net;
    const size_t x = net.input(f32, image);
    std::vector<size_t> ends;
    for (int i = 0; i < 6; ++i) ends.push_back(add_norm(net, kind_t::LayerNorm, x));
    for (size_t i = 0; i < 5; ++i) net.add(kind_t::Wildcard, {ends[5 - i]});
    size_t all = net.add(kind_t::Add, {ends[0], ends[1]});
    for (size_t i = 2; i < 6; ++i) all = net.add(kind_t::Add, {all, ends[i]});
    add_norm(net, kind_t::RMSNorm, all);
    // run() fails if an input has not been computed yet.
    EXPECT_TRUE(net.is_right(net.run()));

    // Operations are added in reverse order.
    const auto lt = [](size_t id) {
        return logical_tensor(id, f32, dims_t{4, 4}, logical_tensor::layout_type::strided);
    };
    dnnl::graph::graph graph(dnnl::engine::kind::cpu);
    graph.add_op(dnnl::graph::op(3, kind_t::Wildcard, {lt(3)}, {lt(4)}, "last"));
    graph.add_op(dnnl::graph::op(2, kind_t::ReLU, {lt(2)}, {lt(3)}, "middle"));
    graph.add_op(dnnl::graph::op(1, kind_t::Wildcard, {lt(1)}, {lt(2)}, "first"));
    graph.finalize();
    const auto parts = graph.get_partitions();
    ASSERT_EQ(parts.size(), 3U);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(parts[i].get_ops(), std::vector<size_t>{i + 1});
}

TEST(partitioning, a_tensor_is_one_port_for_any_number_of_consumers) {
    network_t net;
    const size_t x = net.input(f32, image);
    const size_t dst = add_norm(net, kind_t::LayerNorm, x);
    net.add(kind_t::Multiply, {net.add(kind_t::Add, {dst, x}), x});
    const auto parts = net.partitions();
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].get_input_ports().size(), 3U); // x, gamma, beta
    EXPECT_EQ(parts[0].get_output_ports().size(), 1U);
    EXPECT_EQ(parts[0].get_engine_kind(), dnnl::engine::kind::cpu);
}

TEST(partitioning, an_absent_output_is_not_a_port) {
    network_t net;
    net.add(kind_t::LayerNorm, {net.input(f32, image)}, types_t{f32, absent, absent});
    EXPECT_EQ(net.partitions()[0].get_output_ports().size(), 1U);
}

TEST(partitioning, one_operation_makes_a_partition_without_a_graph) {
    const logical_tensor src(1, f32, dims_t{4, 8}, logical_tensor::layout_type::strided);
    const logical_tensor dst(2, f32, dims_t{4, 8}, logical_tensor::layout_type::strided);
    dnnl::graph::op op(7, kind_t::RMSNorm, {src}, {dst}, "alone");
    const dnnl::graph::partition part(op, dnnl::engine::kind::cpu);
    EXPECT_TRUE(part.is_supported());
    EXPECT_EQ(part.get_ops(), std::vector<size_t>{7});
    EXPECT_EQ(part.get_input_ports()[0].get_id(), 1U);
    EXPECT_NO_THROW(part.compile({src}, {dst}, test_engine()));
    const dnnl::graph::partition elsewhere(op, dnnl::engine::kind::gpu);
    EXPECT_FALSE(elsewhere.is_supported());
    dnnl::graph::op faulty(8, kind_t::RMSNorm, {src}, {}, "no output");
    EXPECT_EQ(status_of([&] { dnnl::graph::partition(faulty, dnnl::engine::kind::cpu); }),
            dnnl_invalid_graph_op);
}

TEST(partitioning, a_graph_can_be_partitioned_repeatedly) {
    network_t net;
    net.add(kind_t::ReLU, {add_norm(net, kind_t::LayerNorm, net.input(f32, image))});
    auto graph = net.make_graph();
    EXPECT_EQ(graph.get_partitions(policy_t::debug).size(), 2U);
    const auto first = graph.get_partitions(), second = graph.get_partitions();
    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(first[0].get_ops(), second[0].get_ops());
    EXPECT_NE(first[0].get_id(), second[0].get_id());
}

TEST(partitioning, partitions_outlive_their_graph) {
    network_t net;
    net.add(kind_t::ReLU, {net.input(f32, image)});
    std::vector<dnnl::graph::partition> parts;
    {
        auto graph = net.make_graph();
        parts = graph.get_partitions();
    }
    EXPECT_EQ(parts[0].get_ops(), std::vector<size_t>{1});
    EXPECT_NO_THROW(parts[0].compile({net.at_hand(1)}, {net.at_hand(2)}, test_engine()));
}

// ---- invalid graphs

dnnl_status_t finalize_status(const std::vector<dnnl::graph::op> &ops) {
    dnnl::graph::graph graph(dnnl::engine::kind::cpu);
    for (const auto &op : ops) graph.add_op(op);
    return status_of([&] { graph.finalize(); });
}

TEST(partitioning, inconsistent_graphs_are_refused) {
    const auto lt = [](size_t id, dims_t dims = {4, 4}, type_t type = f32) {
        return logical_tensor(id, type, dims, logical_tensor::layout_type::strided);
    };
    using op_t = dnnl::graph::op;
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(2)}, "a"),
                      op_t(2, kind_t::ReLU, {lt(2)}, {lt(1)}, "b")}),
            dnnl_invalid_graph)
            << "a cycle";
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(1)}, "a")}), dnnl_invalid_graph)
            << "a cycle of one";
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(2)}, "a"),
                      op_t(2, kind_t::Abs, {lt(1)}, {lt(2)}, "b")}),
            dnnl_invalid_graph)
            << "two producers";
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(2)}, "a"),
                      op_t(2, kind_t::Abs, {lt(2, {4, 5})}, {lt(3, {4, 5})}, "b")}),
            dnnl_invalid_graph)
            << "two shapes";
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(2)}, "a"),
                      op_t(2, kind_t::Abs, {lt(2, {4, 4}, bf16)}, {lt(3, {4, 4}, bf16)}, "b")}),
            dnnl_invalid_graph)
            << "two types";
    EXPECT_EQ(finalize_status({op_t(1, kind_t::ReLU, {lt(1)}, {lt(2)}, "a")}), dnnl_success);
}

TEST(partitioning, a_graph_is_finalized_after_adding_operations_and_before_partitioning) {
    network_t net;
    net.add(kind_t::ReLU, {net.input(f32, image)});
    dnnl::graph::graph open(dnnl::engine::kind::cpu);
    EXPECT_EQ(status_of([&] { open.get_partitions(); }), dnnl_invalid_graph);
    auto graph = net.make_graph();
    EXPECT_TRUE(graph.is_finalized());
    EXPECT_NO_THROW(graph.finalize());
    EXPECT_EQ(graph.add_op(
                      dnnl::graph::op(2, kind_t::ReLU, {net.at_hand(1)}, {net.at_hand(2)}), false),
            dnnl::graph::status::invalid_graph);
    EXPECT_EQ(dnnl_graph_graph_get_partitions(graph.get(), 3, nullptr), dnnl_invalid_arguments);
}

TEST(partitioning, an_empty_graph_has_no_partitions) {
    dnnl::graph::graph graph(dnnl::engine::kind::cpu);
    graph.finalize();
    EXPECT_TRUE(graph.get_partitions().empty());
}

} // namespace

} // namespace kiln::test
