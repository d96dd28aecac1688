// SPDX-License-Identifier: Apache-2.0
// MatMul as graphs, and what is fused with it.
#include <gtest/gtest.h>

#include "graph/call.hpp"
#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

attributes_t transposing(bool a, bool b) {
    return {{attr_name_t::transpose_a, a}, {attr_name_t::transpose_b, b}};
}

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

/// Dequantize, and TypeCast behind it if the product is not of f32.
size_t add_dequantized(
        network_t &net, size_t integers, type_t type, const attributes_t &attributes) {
    const size_t floats = net.add(kind_t::Dequantize, {integers}, f32, attributes);
    return type == f32 ? floats : net.add(kind_t::TypeCast, {floats}, type);
}

/// Scales of weights of nine columns: of the tensor or of columns, without and with zero points.
/// `axis` is that of the columns.
std::vector<attributes_t> quantizations_of_weights(int64_t axis) {
    return {with_scale(0.25f), with_scale(0.25f, 5), with_scales(9, axis),
            with_scales(9, axis, true)};
}

TEST(matmul_execution, multiplies_quantized_operands_as_integers) {
    for (const type_t type : {f32, bf16})
        for (const type_t weights_type : {s8, u8})
            for (const bool b : {false, true})
                for (const attributes_t &of_weights : quantizations_of_weights(b ? 0 : 1)) {
                    network_t net;
                    const size_t src = add_dequantized(
                            net, net.input(u8, {5, 16}, {.low = 0}), type, with_scale(0.5f, 3));
                    const size_t weights = add_dequantized(net,
                            net.weight(weights_type, b ? dims_t{9, 16} : dims_t{16, 9}), type,
                            of_weights);
                    size_t dst = net.add(kind_t::MatMul, {src, weights, net.weight(type, {9})},
                            transposing(false, b));
                    dst = net.add(kind_t::ReLU, {dst});
                    if (type != f32) dst = net.add(kind_t::TypeCast, {dst}, f32);
                    net.add(kind_t::Quantize, {dst}, u8, with_scale(0.5f));
                    expect_fused(net, std::string("MatMul+dequantized_operands+eltwise")
                                              + (type == f32 ? "" : "+type_cast") + "+quantize:1");
                }
}

/// Residuals of int8 networks, whose scales are powers of two: rounding is that of the truth.
TEST(matmul_execution, adds_a_dequantized_residual_to_a_product_of_integers) {
    for (const type_t type : {f32, bf16})
        for (const kind_t kind : {kind_t::Add, kind_t::Subtract, kind_t::Multiply})
            for (const int64_t zero_point : {0, 7}) {
                if (kind == kind_t::Multiply && zero_point != 0) continue;
                network_t net;
                const size_t src = add_dequantized(
                        net, net.input(u8, {5, 16}, {.low = 0}), type, with_scale(0.5f, 3));
                const size_t weights =
                        add_dequantized(net, net.weight(s8, {16, 9}), type, with_scale(0.25f));
                const size_t product =
                        net.add(kind_t::MatMul, {src, weights, net.weight(type, {9})});
                const size_t residual = add_dequantized(
                        net, net.input(s8, {5, 9}), type, with_scale(0.125f, zero_point));
                size_t dst = net.add(kind, {product, residual});
                dst = net.add(kind_t::ReLU, {dst});
                if (type != f32) dst = net.add(kind_t::TypeCast, {dst}, f32);
                net.add(kind_t::Quantize, {dst}, u8, with_scale(0.5f, zero_point));
                expect_fused(
                        net, std::string("MatMul+dequantized_operands+dequantized_operand+eltwise")
                                     + (type == f32 ? "" : "+type_cast") + "+quantize:1");
            }
}

TEST(matmul_execution, reads_integers_as_weights_of_floats) {
    for (const type_t type : floats)
        for (const type_t weights_type : {s8, u8})
            for (const bool b : {false, true})
                for (const attributes_t &of_weights : quantizations_of_weights(b ? 0 : 1)) {
                    network_t net;
                    const size_t weights = add_dequantized(net,
                            net.weight(weights_type, b ? dims_t{9, 16} : dims_t{16, 9}), type,
                            of_weights);
                    const size_t product = net.add(kind_t::MatMul,
                            {net.input(type, {5, 16}), weights}, transposing(false, b));
                    net.add(kind_t::BiasAdd, {product, net.weight(type, {9})});
                    expect_fused(net, "MatMul+dequantized_weights+bias_add:1");
                }
}

/// A product of several matrices by one matrix of integers, and of one row.
TEST(matmul_execution, reads_integers_as_weights_of_batches_and_rows) {
    for (const dims_t &src : {dims_t{2, 3, 5, 16}, dims_t{1, 16}, dims_t{16}}) {
        network_t net;
        const size_t weights =
                add_dequantized(net, net.weight(s8, {16, 9}), f32, with_scales(9, -1, true));
        net.add(kind_t::MatMul, {net.input(f32, src), weights});
        expect_fused(net, "MatMul+dequantized_weights:1");
    }
}

TEST(matmul_execution, reads_no_integers_where_floats_are_wanted_too) {
    for (const bool of_cast : {false, true}) {
        network_t net;
        const size_t floats =
                net.add(kind_t::Dequantize, {net.weight(s8, {16, 9})}, f32, with_scale(0.25f));
        const size_t weights = net.add(kind_t::TypeCast, {floats}, bf16);
        net.add(kind_t::MatMul, {net.input(bf16, {5, 16}), weights});
        net.add(kind_t::Exp, {of_cast ? weights : floats});
        EXPECT_GT(expect_right(net).parts.size(), 1U);
    }
}

/// Src has scales of its own along K, or zero points of rows, which no product of integers takes.
TEST(matmul_execution, reads_integers_as_weights_beside_a_src_that_is_dequantized_before) {
    for (const attributes_t &of_src : {with_scales(16, 1), with_scales(5, 0, true)}) {
        network_t net;
        const size_t src =
                net.add(kind_t::Dequantize, {net.input(u8, {5, 16}, {.low = 0})}, f32, of_src);
        const size_t weights =
                net.add(kind_t::Dequantize, {net.weight(s8, {16, 9})}, f32, with_scales(9, 1));
        net.add(kind_t::MatMul, {src, weights});
        const outcome_t outcome = expect_right(net);
        ASSERT_EQ(outcome.parts.size(), 2U);
        EXPECT_EQ(steps_of(outcome.parts[1]), "MatMul+dequantized_weights:1");
    }
}

TEST(matmul_execution, runs_one_by_one_where_scales_of_weights_lie_along_k) {
    network_t net;
    const size_t weights =
            net.add(kind_t::Dequantize, {net.input(s8, {16, 9})}, f32, with_scales(16, 0));
    net.add(kind_t::MatMul, {net.input(f32, {5, 16}), weights});
    expect_one_by_one(net, 2);
}

// ---- scales and zero points that are inputs

attributes_t in_groups(const std::vector<int64_t> &shape) {
    return {{attr_name_t::qtype, std::string("per_group")}, {attr_name_t::group_shape, shape}};
}

attributes_t scales_along(int64_t axis) {
    return {{attr_name_t::qtype, std::string("per_channel")}, {attr_name_t::axis, axis}};
}

size_t add_scales(network_t &net, type_t type, const dims_t &dims) {
    return net.weight(type, dims, 0.05, 0.2);
}

/// Weights of 64 x 10, or transposed ones, in groups of 16 elements of a column.
size_t add_groups(
        network_t &net, type_t type, type_t float_type, bool transposes, bool has_zero_points) {
    const auto in_order = [&](int64_t k, int64_t n) {
        return transposes ? dims_t{n, k} : dims_t{k, n};
    };
    std::vector<size_t> inputs{
            net.weight(type, in_order(64, 10)), add_scales(net, float_type, in_order(4, 10))};
    if (has_zero_points) inputs.push_back(net.weight(type, in_order(4, 10)));
    return net.add(kind_t::DynamicDequantize, inputs, float_type, in_groups(in_order(16, 1)));
}

TEST(matmul_execution, reads_weights_of_groups) {
    for (const type_t type : floats)
        for (const type_t weights : {s4, u4, s8, u8})
            for (const bool transposes : {false, true})
                for (const bool has_zero_points : {false, true})
                    for (const int64_t rows : {1, 17}) {
                        network_t net;
                        const size_t product = net.add(kind_t::MatMul,
                                {net.input(type, {rows, 64}), add_groups(net, weights, type,
                                                                      transposes, has_zero_points)},
                                transposing(false, transposes));
                        net.add(kind_t::ReLU, {product});
                        expect_fused(net, "MatMul+dequantized_weights+eltwise:1");
                    }
}

TEST(matmul_execution, multiplies_integers_by_weights_of_groups) {
    for (const bool transposes : {false, true}) {
        network_t net;
        const size_t src = net.add(kind_t::DynamicDequantize,
                {net.input(s8, {5, 64}), add_scales(net, f32, {5})}, f32, scales_along(-2));
        net.add(kind_t::MatMul, {src, add_groups(net, s4, f32, transposes, false)},
                transposing(false, transposes));
        expect_fused(net, "MatMul+dequantized_operands:1");
    }
}

/// Rows of src have scales of their own, as activations that are quantized token by token.
TEST(matmul_execution, multiplies_rows_with_scales_that_are_inputs) {
    for (const dims_t &src : {dims_t{5, 16}, dims_t{3, 5, 16}})
        for (const bool a : {false, true})
            for (const bool has_zero_point : {false, true}) {
                network_t net;
                dims_t dims = src;
                if (a) std::swap(dims.end()[-1], dims.end()[-2]);
                std::vector<size_t> of_src{net.input(s8, dims), add_scales(net, f32, {5})};
                std::vector<size_t> of_weights{net.weight(s8, {16, 9}), add_scales(net, f32, {9})};
                if (has_zero_point)
                    of_weights.push_back(net.input(s8, {9}, {.values = std::vector<double>(9, 3)}));
                net.add(kind_t::MatMul,
                        {net.add(kind_t::DynamicDequantize, of_src, f32, scales_along(a ? -1 : -2)),
                                net.add(kind_t::DynamicDequantize, of_weights, f32,
                                        scales_along(1))},
                        transposing(a, false));
                const auto outcome = expect_right(net);
                ASSERT_EQ(outcome.parts.size(), 1U);
                EXPECT_EQ(outcome.parts[0].plan.find("MatMul+dequantized_operands:"), 0U)
                        << outcome.parts[0].plan;
            }
}

TEST(matmul_execution, takes_scales_and_zero_points_of_tensors_that_are_inputs) {
    network_t net;
    const auto add = [&](size_t integers, double point) {
        const size_t zero_point = net.input(type_t::s32, {1}, {.values = {point}});
        return net.add(kind_t::DynamicDequantize, {integers, add_scales(net, f32, {1}), zero_point},
                f32, {{attr_name_t::qtype, std::string("per_tensor")}});
    };
    net.add(kind_t::MatMul, {add(net.input(u8, {5, 16}), 3), add(net.weight(s8, {16, 9}), -2)});
    expect_fused(net, "MatMul+dequantized_operands:1");
}

/// No kernel multiplies columns that share scales.
TEST(matmul_execution, dequantizes_weights_before_where_groups_lie_along_columns) {
    network_t net;
    const size_t weights = net.add(kind_t::DynamicDequantize,
            {net.input(u4, {16, 64}), add_scales(net, f32, {16, 4}), net.weight(u4, {16, 4})}, f32,
            in_groups({1, 16}));
    net.add(kind_t::MatMul, {net.input(f32, {5, 16}), weights});
    const outcome_t outcome = expect_right(net);
    ASSERT_EQ(outcome.parts.size(), 1U);
    const std::string &plan = outcome.parts[0].plan;
    const bool has_kernels =
            (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2;
    EXPECT_EQ(plan.find("DynamicDequantize;MatMul:") == 0, has_kernels) << plan;
    EXPECT_FALSE(has_kernels && plan.find("ref:") != std::string::npos) << plan;
}

TEST(matmul_execution, multiplies_f8_with_scales) {
    for (const type_t src : {f8_e4m3, f8_e5m2})
        for (const type_t type : {f32, bf16}) {
            network_t net;
            const attributes_t scale{{attr_name_t::scales, std::vector<float>{0.5f}}};
            const size_t product = net.add(kind_t::MatMul,
                    {add_dequantized(net, net.input(src, {5, 16}), type, scale),
                            add_dequantized(net, net.weight(f8_e4m3, {16, 9}), type, scale)});
            net.add(kind_t::ReLU, {product});
            const auto outcome = expect_right(net);
            ASSERT_EQ(outcome.parts.size(), 1U);
            EXPECT_EQ(steps_of(outcome.parts[0]), "MatMul+dequantized_operands+eltwise:1");
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

} // namespace

} // namespace kiln::test
