// SPDX-License-Identifier: Apache-2.0
// Partitioning: which operations are not fused with others.
#include "api/status_of.hpp"
#include "graph/networks.hpp"
#include "graph/partitioning_checks.hpp"

namespace kiln::test {

namespace {

const dims_t image{2, 6, 4}, matrix{6, 16};

// ---- operations that are not fused

/// A chain that a rule would match, but an intermediate value has another consumer.
TEST(partitioning, a_value_with_other_consumers_ends_the_chain) {
    for (const kind_t user : {kind_t::ReLU, kind_t::TypeCast, kind_t::Quantize}) {
        network_t net;
        const size_t dst = add_norm(net, kind_t::LayerNorm, net.input(f32, image));
        if (user == kind_t::Quantize)
            net.add(user, {dst}, s8, with_scale(0.1f));
        else
            net.add(user, {dst}, user == kind_t::TypeCast ? bf16 : f32);
        add_end(net, dst);
        EXPECT_EQ(net.partition_ops().size(), 3U);
    }
    network_t binary;
    const size_t dst = add_norm(binary, kind_t::RMSNorm, binary.input(f32, image));
    binary.add(kind_t::Multiply, {dst, binary.input(f32, image)});
    add_end(binary, dst);
    EXPECT_EQ(binary.partition_ops().size(), 3U);

    network_t silu;
    const size_t normal = add_norm(silu, kind_t::GroupNorm, silu.input(f32, image));
    const size_t sigmoid = silu.add(kind_t::Sigmoid, {normal});
    silu.add(kind_t::Multiply, {normal, sigmoid});
    add_end(silu, sigmoid);
    EXPECT_EQ(silu.partition_ops().size(), 4U);

    network_t cast;
    const size_t wide = cast.add(kind_t::TypeCast, {cast.input(bf16, image)}, f32);
    add_norm(cast, kind_t::LayerNorm, wide);
    add_end(cast, wide);
    EXPECT_EQ(cast.partition_ops().size(), 3U);

    network_t relu;
    const size_t gated =
            relu.add(kind_t::ReLUBackward, {relu.input(f32, image), relu.input(f32, image)});
    add_batch_norm_backward(relu, relu.input(f32, image), gated);
    add_end(relu, gated);
    EXPECT_EQ(relu.partition_ops().size(), 3U);

    network_t add_relu;
    const size_t inferred =
            add_norm(add_relu, kind_t::BatchNormInference, add_relu.input(f32, image));
    const size_t sum = add_relu.add(kind_t::Add, {inferred, add_relu.input(f32, image)});
    add_relu.add(kind_t::ReLU, {sum});
    add_end(add_relu, sum);
    EXPECT_EQ(add_relu.partition_ops()[0], std::vector<size_t>{1});
}

TEST(partitioning, a_gradient_with_other_consumers_is_not_fused_with_the_addition) {
    network_t net;
    const auto gradients =
            add_layer_norm_backward(net, net.input(f32, matrix), net.input(f32, matrix));
    net.add(kind_t::Add, {gradients[0], net.input(f32, matrix)});
    add_end(net, gradients[0]);
    EXPECT_EQ(net.partition_ops(), (parts_t{{1}, {2}, {3}}));
}

TEST(partitioning, a_dynamic_quantization_whose_values_have_other_consumers_is_not_fused) {
    for (const size_t used : {0, 1, 2}) {
        network_t net;
        const size_t dst = add_norm(net, kind_t::LayerNorm, net.input(f32, matrix));
        const auto quantized = add_dynamic_quantization(net, dst, true);
        // The ids in front of the scales: the product, the maximum, the absolute values.
        const size_t tensor = quantized.scales - 1 - used;
        add_end(net, tensor);
        EXPECT_GT(net.partition_ops().size(), 2U) << used;
    }
    // The scales may have other consumers.
    network_t net;
    const size_t dst = add_norm(net, kind_t::LayerNorm, net.input(f32, matrix));
    add_end(net, add_dynamic_quantization(net, dst, true).scales);
    EXPECT_EQ(net.partition_ops().size(), 2U);
}

TEST(partitioning, a_value_without_consumers_is_an_output_and_ends_the_chain) {
    network_t net;
    const size_t sum = add_sum(net, f32, matrix);
    const auto outputs = net.add(kind_t::LayerNorm, {sum}, types_t{f32, f32, f32});
    net.add(kind_t::ReLU, {outputs[0]});
    const auto parts = net.partitions();
    ASSERT_EQ(parts.size(), 1U);
    std::vector<size_t> ids;
    for (const auto &lt : parts[0].get_output_ports()) ids.push_back(lt.get_id());
    EXPECT_EQ(ids, (std::vector<size_t>{outputs[1], outputs[2], outputs[2] + 1}));
}

TEST(partitioning, a_residual_that_is_broadcast_is_not_fused) {
    for (const dims_t &dims : {dims_t{16}, dims_t{6, 1}, dims_t{1, 16}})
        expect_whole(row_norms, false, [&](network_t &net, kind_t kind) {
            const size_t sum = net.add(kind_t::Add, {net.input(f32, matrix), net.input(f32, dims)});
            add_norm(net, kind, sum);
        });
}

TEST(partitioning, a_result_that_is_broadcast_ends_the_chain) {
    expect_whole(norms, false, [](network_t &net, kind_t kind) {
        const size_t dst = add_norm(net, kind, net.input(f32, {1, 6, 4}));
        net.add(kind_t::Multiply, {dst, net.input(f32, {3, 6, 4})});
    });
}

TEST(partitioning, dequantizations_that_change_the_norm_are_not_fused) {
    const auto describe = [](network_t &net, const attributes_t &scales,
                                  const std::vector<type_t> &outputs, kind_t kind) {
        const size_t src = net.add(kind_t::Dequantize, {net.input(s8, image)}, f32, scales);
        net.add(kind, {src}, outputs, kind == kind_t::GroupNorm ? with_groups(2) : attributes_t());
    };
    const std::vector<type_t> with_statistics{f32, f32, f32};
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::GroupNorm}) {
        network_t statistics, channels;
        describe(statistics, with_scale(0.1f), with_statistics, kind);
        EXPECT_FALSE(is_whole(statistics)) << "statistics depend on the scale";
        describe(channels, with_scales(4, 2), {f32, absent, absent}, kind);
        EXPECT_FALSE(is_whole(channels)) << "a scale for each channel";
    }
    network_t shifted;
    describe(shifted, with_scale(0.1f, 3), {f32}, kind_t::RMSNorm);
    EXPECT_FALSE(is_whole(shifted)) << "RMSNorm depends on the zero point";
}

/// A chain that differs from the rule's in one property.
struct unlike_t {
    type_t factor = f32;
    int64_t axis = 1;
    bool keeps_dims = true;
    const char *qtype = "per_channel";
    int64_t channel_axis = 0;
    bool is_used_by_another = false;
};

TEST(partitioning, chains_that_differ_from_a_quantization_of_rows_are_not_fused) {
    const unlike_t rows[] = {{}, {.factor = bf16}, {.axis = 0, .channel_axis = 1},
            {.keeps_dims = false}, {.axis = 0, .qtype = "per_tensor"},
            {.is_used_by_another = true}};
    for (const unlike_t &row : rows) {
        network_t net;
        const dims_t dims{row.qtype == std::string("per_tensor") ? 6 : 8, 8};
        const size_t dst = add_norm(net, kind_t::LayerNorm,
                net.input(f32, row.qtype == std::string("per_tensor") ? dims_t{6, 1} : dims));
        const size_t max = net.add(kind_t::ReduceMax, {net.add(kind_t::Abs, {dst})},
                attributes_t{{attr_name_t::axes, std::vector<int64_t>{row.axis}},
                        {attr_name_t::keep_dims, row.keeps_dims}});
        const size_t scales =
                net.add(kind_t::Multiply, {max, net.weight(row.factor, {1}, 0.01, 0.02)});
        net.add(kind_t::DynamicQuantize, {dst, scales}, s8,
                attributes_t{{attr_name_t::qtype, std::string(row.qtype)},
                        {attr_name_t::axis, row.channel_axis}});
        if (row.is_used_by_another) add_end(net, dst);
        const bool is_like = &row == rows;
        EXPECT_EQ(is_whole(net), is_like) << &row - rows;
        EXPECT_TRUE(net.is_right(net.run())) << &row - rows;
    }
}

TEST(partitioning, operations_on_integers_are_not_supported) {
    network_t net;
    const size_t lhs = net.input(type_t::s32, matrix), rhs = net.input(f32, matrix);
    net.add(kind_t::ReLU, {net.add(kind_t::Add, {lhs, rhs}, f32)});
    const auto parts = net.partitions();
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_FALSE(parts[0].is_supported());
    EXPECT_TRUE(parts[1].is_supported());
}

TEST(partitioning, an_operation_with_an_operand_from_inside_the_group_is_not_fused) {
    // The operand is the sum of a residual addition.
    for (const kind_t kind : row_norms) {
        network_t net;
        const size_t sum = add_sum(net, f32, matrix);
        net.add(kind_t::Multiply, {add_norm(net, kind, sum), sum});
        EXPECT_EQ(net.partition_ops(), (parts_t{{1, 2}, {3}})) << name_of(kind);
        EXPECT_TRUE(net.is_right(net.run()));
    }
    // The operand is derived from statistics.
    network_t net;
    const auto outputs = net.add(
            kind_t::LayerNorm, {net.input(f32, {4, 8})}, types_t{f32, f32, f32}, with_axis(-1));
    const size_t mean = net.add(kind_t::StaticReshape, {outputs[1]},
            attributes_t{{attr_name_t::shape, std::vector<int64_t>{4, 1}},
                    {attr_name_t::special_zero, false}});
    net.add(kind_t::Add, {outputs[0], mean});
    EXPECT_EQ(net.partition_ops(), (parts_t{{1}, {2}, {3}}));
    EXPECT_TRUE(net.is_right(net.run()));
    // The operand is the variance itself.
    network_t direct;
    const size_t src = direct.input(f32, {1, 8});
    const auto of_one_row = direct.add(kind_t::LayerNorm, {src}, types_t{f32, f32, f32});
    direct.add(kind_t::Multiply, {of_one_row[0], of_one_row[2]});
    EXPECT_EQ(direct.partition_ops(), (parts_t{{1}, {2}}));
    EXPECT_TRUE(direct.is_right(direct.run()));
}

/// The sum of x and a residual, its LayerNorm, then an operation on dst and x, the sum or the
/// variance.
enum class operand_t { x, sum, variance };
network_t norm_and(kind_t last, operand_t operand) {
    network_t net;
    const size_t x = net.input(f32, {21, 40});
    const size_t sum = net.add(kind_t::Add, {x, net.input(f32, {21, 40})});
    const auto outputs = net.add(kind_t::LayerNorm,
            {sum, net.weight(f32, {40}), net.weight(f32, {40})}, types_t{f32, f32, f32});
    for (const size_t statistic : {outputs[1], outputs[2]}) net.set_dims(statistic, {21, 1});
    const size_t operands[] = {x, sum, outputs[2]};
    net.add(last, {outputs[0], operands[static_cast<size_t>(operand)]});
    EXPECT_TRUE(net.is_right(net.run()));
    return net;
}

TEST(partition_operands, from_outside_are_fused) {
    EXPECT_TRUE(is_whole(norm_and(kind_t::Add, operand_t::x)));
}

TEST(partition_operands, the_normalized_sum_is_not_one) {
    EXPECT_EQ(norm_and(kind_t::Add, operand_t::sum).partition_ops().size(), 2U);
}

TEST(partition_operands, statistics_of_the_normalization_are_not_operands) {
    EXPECT_EQ(norm_and(kind_t::Multiply, operand_t::variance).partition_ops().size(), 2U);
}

TEST(partitioning, a_sum_that_is_also_gamma_is_not_fused) {
    network_t net;
    const size_t sum = add_sum(net, f32, {16});
    net.add(kind_t::RMSNorm, {sum, sum}, with_axis(0));
    EXPECT_EQ(net.partition_ops(), (parts_t{{1}, {2}}));
    EXPECT_TRUE(net.is_right(net.run()));
}

TEST(partitioning, partitions_form_no_cycle_through_other_operations) {
    // The product depends on an operation that depends on the sum.
    for (const kind_t outside : {kind_t::Wildcard, kind_t::Reorder}) {
        network_t net;
        const size_t sum = add_sum(net, f32, matrix);
        const size_t dst = add_norm(net, kind_t::LayerNorm, sum);
        net.add(kind_t::Multiply, {dst, net.add(outside, {sum})});
        // A reorder takes the product as a post-op.
        EXPECT_EQ(net.partition_ops(), outside == kind_t::Reorder ? (parts_t{{1, 2}, {3, 4}})
                                                                  : (parts_t{{1, 2}, {3}, {4}}));
        EXPECT_TRUE(net.is_right(net.run()));
    }
    // The product depends on an operation that depends on statistics.
    network_t net;
    const auto outputs =
            net.add(kind_t::LayerNorm, {net.input(f32, {1, 16})}, types_t{f32, f32, f32});
    net.add(kind_t::Multiply, {outputs[0], net.add(kind_t::Wildcard, {outputs[2]})});
    EXPECT_EQ(net.partition_ops().size(), 3U);
    EXPECT_TRUE(net.is_right(net.run()));
}

TEST(partitioning, two_groups_do_not_depend_on_each_other) {
    network_t net;
    const auto norm = [&] {
        return net.add(kind_t::LayerNorm, {net.input(f32, {1, 16})}, types_t{f32, f32, f32});
    };
    const auto first = norm(), second = norm();
    net.add(kind_t::Multiply, {first[0], second[1]});
    net.add(kind_t::Multiply, {second[0], first[1]});
    EXPECT_EQ(net.partition_ops().size(), 3U);
    EXPECT_TRUE(net.is_right(net.run()));
}

TEST(partitioning, wildcards_are_partitions_of_their_own) {
    network_t net;
    const size_t dst = add_norm(net, kind_t::LayerNorm, net.input(f32, image));
    net.add(kind_t::ReLU, {net.add(kind_t::Wildcard, {dst})});
    const auto parts = net.partitions();
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_TRUE(parts[0].is_supported());
    EXPECT_FALSE(parts[1].is_supported());
    EXPECT_TRUE(parts[2].is_supported());
    EXPECT_TRUE(net.is_right(net.run()));
    EXPECT_EQ(status_of([&] { parts[1].compile({net.at_hand(dst)}, {}, test_engine()); }),
            dnnl_invalid_arguments);
}

TEST(partitioning, unsupported_operations_are_partitions_that_say_so) {
    network_t net;
    const size_t x = net.input(f32, {4, 4});
    net.add(kind_t::Wildcard, {x});
    dnnl::graph::graph graph(dnnl::engine::kind::cpu);
    graph.add_op(dnnl::graph::op(
            1, kind_t::BiasAddBackward, {net.at_hand(x)}, {net.at_hand(x + 1)}, "gradient"));
    graph.finalize();
    const auto parts = graph.get_partitions();
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_FALSE(parts[0].is_supported());
    EXPECT_EQ(parts[0].get_ops(), std::vector<size_t>{1});
    EXPECT_EQ(parts[0].get_input_ports().size(), 1U);
}

} // namespace

} // namespace kiln::test
