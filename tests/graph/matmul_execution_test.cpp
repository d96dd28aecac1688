// SPDX-License-Identifier: Apache-2.0
// MatMul as graphs, and what is fused with it.
#include <sstream>

#include <gtest/gtest.h>

#include "graph/call.hpp"
#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

/// The network is one partition, and its results are right.
void expect_one_right_partition(network_t &net) {
    EXPECT_EQ(net.partition_ops().size(), 1U);
    expect_right(net);
}

TEST(matmul_execution, takes_every_type_and_transposition) {
    for (const type_t type : floats)
        for (const bool a : {false, true})
            for (const bool b : {false, true}) {
                network_t net;
                net.add(kind_t::MatMul,
                        {net.input(type, a ? dims_t{17, 5} : dims_t{5, 17}),
                                net.input(type, b ? dims_t{9, 17} : dims_t{17, 9})},
                        transposing(a, b));
                expect_right(net);
            }
}

TEST(matmul_execution, is_not_in_place_where_dst_has_the_shape_of_an_operand) {
    for (const bool has_add : {false, true}) {
        network_t net;
        const size_t result =
                net.add(kind_t::MatMul, {net.input(f32, {64, 64}), net.input(f32, {64, 64})});
        if (has_add) net.add(kind_t::Add, {result, net.input(f32, {64, 64})});
        EXPECT_TRUE(expect_right(net).parts[0].inplace_pairs.empty());
    }
}

TEST(matmul_execution, broadcasts_batches_and_bias) {
    for (const auto &[src, weights] : {std::pair(dims_t{3, 5, 8}, dims_t{8, 6}),
                 {dims_t{5, 8}, dims_t{3, 8, 6}}, {dims_t{2, 1, 5, 8}, dims_t{1, 3, 8, 6}}}) {
        network_t net;
        net.add(kind_t::MatMul,
                {net.input(f32, src), net.input(f32, weights), net.input(f32, {6})});
        expect_right(net);
    }
}

/// Such operands are a row of src and a column of weights; dst lacks their axis.
TEST(matmul_execution, takes_operands_of_one_axis) {
    struct shapes_t {
        dims_t src, weights, added;
    };
    for (const auto &[src, weights, added] :
            {shapes_t{{8}, {8, 6}, {6}}, {{8}, {3, 8, 6}, {3, 1}}, {{5, 8}, {8}, {5}},
                    {{3, 5, 8}, {8}, {3, 5}}, {{2, 3, 5, 8}, {8}, {1, 5}}, {{8}, {8}, {1}}})
        for (const bool has_more : {false, true}) {
            network_t net;
            const size_t product = net.add(kind_t::MatMul,
                    {net.input(f32, src), net.input(f32, weights)}, transposing(false, false));
            if (has_more) {
                const size_t activated = net.add(kind_t::ReLU, {product});
                if (src.size() + weights.size() > 2)
                    net.add(kind_t::Add, {activated, net.input(f32, added)});
            }
            expect_one_right_partition(net);
        }
}

TEST(matmul_execution, transposes_no_operand_of_one_axis) {
    for (const bool has_bias : {false, true}) {
        network_t net;
        std::vector<size_t> inputs{net.input(f32, {8}), net.input(f32, {6, 8})};
        if (has_bias) inputs.push_back(net.input(f32, {6}));
        net.add(kind_t::MatMul, inputs, transposing(true, true));
        expect_right(net);
    }
}

TEST(matmul_execution, stores_another_type) {
    network_t net;
    net.add(kind_t::MatMul, {net.input(bf16, {5, 17}), net.input(bf16, {17, 9})}, f32);
    expect_right(net);
}

TEST(matmul_execution, is_fused_with_elementwise_and_binary_operations) {
    for (const type_t type : floats) {
        network_t net;
        const size_t product = net.add(kind_t::MatMul,
                {net.input(type, {5, 17}), net.weight(type, {17, 9}), net.weight(type, {9})});
        const size_t sum = net.add(kind_t::Add, {product, net.input(type, {5, 9})});
        net.add(kind_t::ReLU, {net.add(kind_t::Multiply, {sum, net.weight(type, {1, 9})})});
        expect_one_right_partition(net);
    }
}

TEST(matmul_execution, is_fused_with_a_type_cast) {
    network_t net;
    const size_t product =
            net.add(kind_t::MatMul, {net.input(bf16, {5, 17}), net.input(bf16, {17, 9})});
    net.add(kind_t::TypeCast, {product}, f32);
    expect_one_right_partition(net);
}

TEST(matmul_execution, is_fused_with_a_bias_behind_it) {
    for (const type_t type : floats)
        for (const char *format : {"NXC", "NCX"}) {
            network_t net;
            const size_t product = net.add(
                    kind_t::MatMul, {net.input(type, {3, 5, 17}), net.weight(type, {17, 9})});
            const int64_t channels = std::string(format) == "NXC" ? 9 : 5;
            const size_t sum = net.add(
                    kind_t::BiasAdd, {product, net.weight(type, {channels})}, with_format(format));
            net.add(kind_t::GELU, {sum});
            expect_fused(net, "MatMul+bias_add+eltwise:1");
        }
}

/// Channels are an axis of dst, which lacks the rows of src or the columns of weights.
TEST(matmul_execution, adds_a_bias_to_products_of_vectors) {
    struct shapes_t {
        dims_t src, weights;
        const char *format;
        int64_t channels;
    };
    for (const auto &[src, weights, format, channels] :
            {shapes_t{{8}, {3, 8, 6}, "NCX", 6}, {{8}, {3, 8, 6}, "NXC", 6},
                    {{3, 5, 8}, {8}, "NCX", 5}, {{3, 5, 8}, {8}, "NXC", 5}}) {
        network_t net;
        const size_t product =
                net.add(kind_t::MatMul, {net.input(f32, src), net.input(f32, weights)});
        net.add(kind_t::BiasAdd, {product, net.weight(f32, {channels})}, with_format(format));
        expect_fused(net, "MatMul+bias_add:1");
    }
}

// ---- Select

/// As masked scores of attention; the product is either of the values.
TEST(matmul_execution, is_fused_with_a_select) {
    for (const type_t type : floats)
        for (const bool where : {false, true})
            for (const dims_t &mask : {dims_t{5, 9}, dims_t{1, 9}, dims_t{2, 3, 5, 9}}) {
                network_t net;
                const size_t product = net.add(kind_t::MatMul,
                        {net.input(type, {2, 3, 5, 16}), net.input(type, {2, 3, 16, 9})});
                const size_t condition = net.input(type_t::boolean, mask),
                             other = net.input(type, {1});
                net.add(kind_t::Select,
                        where ? std::vector<size_t>{condition, product, other}
                              : std::vector<size_t>{condition, other, product},
                        type);
                expect_fused(net, where ? "MatMul+select:1" : "MatMul+select:2");
            }
}

TEST(matmul_execution, is_not_fused_with_a_select_of_which_it_is_both_values) {
    network_t net;
    const size_t product =
            net.add(kind_t::MatMul, {net.input(f32, {5, 16}), net.input(f32, {16, 9})});
    net.add(kind_t::Select, {net.input(type_t::boolean, {5, 9}), product, product}, f32);
    EXPECT_EQ(expect_right(net).parts.size(), 2U);
}

/// The line that verbose mode prints of the primitive of a product of f32 by dequantized weights.
std::string line_of_primitive(dnnl::fpmath_mode mode) {
    constexpr auto strided = logical_tensor::layout_type::strided;
    const logical_tensor src(0, f32, {4, 64}, strided), integers(1, type_t::s8, {64, 16}, strided),
            weights(2, f32, {64, 16}, strided), dst(3, f32, {4, 16}, strided);
    dnnl::graph::op dequantize(0, kind_t::Dequantize, {integers}, {weights});
    dequantize.set_attr<std::vector<float>>(attr_name_t::scales, {0.5f});
    dequantize.set_attr<std::vector<int64_t>>(attr_name_t::zps, {0});
    dnnl::graph::graph graph(dnnl::engine::kind::cpu, mode);
    graph.add_op(dequantize);
    graph.add_op({1, kind_t::MatMul, {src, weights}, {dst}});
    graph.finalize();
    const auto compiled =
            graph.get_partitions().front().compile({src, integers}, {dst}, test_engine());
    std::vector<float> a(4 * 64), c(4 * 16);
    std::vector<int8_t> b(64 * 16);
    dnnl::stream stream(test_engine());
    dnnl_set_verbose(2);
    testing::internal::CaptureStdout();
    compiled.execute(stream, {{src, test_engine(), a.data()}, {integers, test_engine(), b.data()}},
            {{dst, test_engine(), c.data()}});
    std::istringstream lines(testing::internal::GetCapturedStdout());
    dnnl_set_verbose(0);
    for (std::string line; std::getline(lines, line);)
        if (line.find(",matmul,") != std::string::npos) return line;
    return "";
}

TEST(matmul_execution, has_the_math_mode_of_the_graph) {
    const auto has = [](dnnl::fpmath_mode mode, const char *text) {
        return line_of_primitive(mode).find(text) != std::string::npos;
    };
    EXPECT_TRUE(has(dnnl::fpmath_mode::strict, "attr-fpmath:strict:true"));
    EXPECT_TRUE(has(dnnl::fpmath_mode::bf16, "attr-fpmath:bf16:true"));
}

} // namespace

} // namespace kiln::test
