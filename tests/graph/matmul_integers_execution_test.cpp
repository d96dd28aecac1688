// SPDX-License-Identifier: Apache-2.0
// MatMul of dequantized tensors as graphs: the integers, or f8, are multiplied or read.
#include <gtest/gtest.h>

#include "graph/call.hpp"
#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

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

} // namespace

} // namespace kiln::test
