// SPDX-License-Identifier: Apache-2.0
// Regressions: the smallest graph for each defect that was found.
#include "api/status_of.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

using layout_t = logical_tensor::layout_type;
using dnnl::graph::partition;
using dnnl::graph::tensor;

const attributes_t per_channel{
        {attr_name_t::qtype, std::string("per_channel")}, {attr_name_t::axis, int64_t(1)}};

logical_tensor dense(size_t id, const dims_t &dims, type_t type = f32) {
    return {id, type, dims, layout_t::strided};
}

logical_tensor of_unknown_shape(size_t id, type_t type) {
    return {id, type, DNNL_GRAPH_UNKNOWN_NDIMS, layout_t::strided};
}

partition alone(kind_t kind, const std::vector<logical_tensor> &inputs,
        const std::vector<logical_tensor> &outputs) {
    const dnnl::graph::op op(1, kind, inputs, outputs, "op");
    return {op, dnnl::engine::kind::cpu};
}

} // namespace

TEST(graph_regression, one_zero_point_serves_all_channels) {
    for (const kind_t kind : {kind_t::DynamicQuantize, kind_t::DynamicDequantize}) {
        const bool quantizes = kind == kind_t::DynamicQuantize;
        network_t net;
        const size_t src = net.input(quantizes ? f32 : s8, {3, 2000});
        const size_t scales = net.input(f32, {2000}, {.low = 0.05, .high = 0.1});
        const size_t point = net.input(type_t::s32, {1}, {.values = {7}});
        net.add(kind, {src, scales, point}, quantizes ? s8 : f32, per_channel);
        expect_right(net);
    }
}

TEST(graph_regression, zero_points_may_be_strided) {
    network_t net;
    const size_t scales = net.input(f32, {4}, {.strides = {3}, .low = 0.05, .high = 0.1});
    const size_t points = net.input(type_t::s32, {4}, {.strides = {2}, .values = {1, -20, 30, 4}});
    net.add(kind_t::DynamicQuantize, {net.input(f32, {3, 4}), scales, points}, s8, per_channel);
    expect_right(net);
}

TEST(graph_regression, scales_are_checked_when_shapes_become_known) {
    for (const int64_t axis : {1, -3, 4}) {
        dnnl::graph::op op(
                1, kind_t::Quantize, {of_unknown_shape(1, f32)}, {of_unknown_shape(2, s8)}, "op");
        op.set_attr<std::string>(attr_name_t::qtype, "per_channel");
        op.set_attr<int64_t>(attr_name_t::axis, axis);
        op.set_attr<std::vector<float>>(attr_name_t::scales, {1, 2});
        const partition part(op, dnnl::engine::kind::cpu);
        EXPECT_EQ(status_of([&] {
            part.compile({dense(1, {3, 5})}, {dense(2, {3, 5}, s8)}, test_engine());
        }),
                dnnl_invalid_shape);
    }
}

TEST(graph_regression, several_scales_for_a_channel_are_refused) {
    dnnl::graph::op op(1, kind_t::Dequantize, {dense(1, {2, 3}, s8)}, {dense(2, {2, 3})}, "op");
    op.set_attr<std::string>(attr_name_t::qtype, "per_channel");
    op.set_attr<std::vector<float>>(attr_name_t::scales, {1, 2, 3, 4, 5, 6});
    const partition part(op, dnnl::engine::kind::cpu);
    EXPECT_EQ(status_of([&] {
        part.compile({dense(1, {2, 3}, s8)}, {dense(2, {2, 3})}, test_engine());
    }),
            dnnl_unimplemented);
}

TEST(graph_regression, negative_axes_of_scales_before_a_norm_are_respected) {
    network_t net;
    const size_t src =
            net.add(kind_t::Dequantize, {net.input(s8, {4, 3, 8})}, f32, with_scales(3, -2));
    add_norm(net, kind_t::GroupNorm, src);
    expect_right(net);
}

TEST(graph_regression, a_constant_is_not_overwritten) {
    network_t net;
    net.add(kind_t::ReLU, {net.input(f32, {3, 8}, {.property = property_t::constant})});
    EXPECT_TRUE(expect_right(net).parts[0].inplace_pairs.empty());
}

TEST(graph_regression, an_operand_that_is_read_twice_is_not_overwritten) {
    for (const int64_t axis : {0, 1}) {
        network_t net;
        const size_t x = net.input(f32, {7, 1024});
        const size_t y = net.add(kind_t::SoftMax, {x}, {{attr_name_t::axis, axis}});
        net.add(kind_t::Multiply, {y, x});
        EXPECT_TRUE(expect_right(net).parts[0].inplace_pairs.empty());
    }
}

TEST(graph_regression, a_gradient_of_another_shape_is_refused) {
    const logical_tensor src = dense(1, {3, 24}), slope = dense(2, {24});
    const logical_tensor diff_src = dense(4, {3, 24}), diff_slope = dense(5, {24});
    for (const dims_t &dims : {dims_t{}, dims_t{24}, dims_t{1, 24}, dims_t{3, 1}, dims_t{24, 3}}) {
        const logical_tensor diff_dst = dense(3, dims);
        EXPECT_EQ(status_of([&] {
            alone(kind_t::PReLUBackward, {src, slope, diff_dst}, {diff_src, diff_slope})
                    .compile({src, slope, diff_dst}, {diff_src, diff_slope}, test_engine());
        }),
                dnnl_invalid_shape);
    }
}

TEST(graph_regression, elements_of_an_output_do_not_overlap) {
    const logical_tensor src = dense(1, {4, 3}), dst(2, f32, {4, 3}, dims_t{0, 1});
    const partition part = alone(kind_t::ReLU, {src}, {dst});
    EXPECT_EQ(
            status_of([&] { part.compile({src}, {dst}, test_engine()); }), dnnl_invalid_arguments);
}

/// epsilon / scale^2 is below the smallest float, and the variance of one element is 0.
TEST(graph_regression, a_huge_scale_before_a_norm_of_single_elements_gives_shifts) {
    network_t net;
    const size_t src = net.add(kind_t::Dequantize, {net.input(s8, {4, 1})}, f32, with_scale(1e25f));
    add_norm(net, kind_t::LayerNorm, src);
    expect_right(net);
}

TEST(graph_regression, an_operation_cannot_read_its_own_output) {
    EXPECT_EQ(status_of([] { alone(kind_t::ReLU, {dense(1, {4})}, {dense(1, {4})}); }),
            dnnl_invalid_graph_op);
}

TEST(graph_regression, an_axis_may_have_a_stride_of_zero) {
    const logical_tensor src(1, f32, {4}, dims_t{0}), dst = dense(2, {4});
    EXPECT_EQ(src.get_mem_size(), sizeof(float));
    const auto compiled = alone(kind_t::ReLU, {src}, {dst}).compile({src}, {dst}, test_engine());
    float from = 5, to[4] = {};
    dnnl::stream stream(test_engine());
    compiled.execute(stream, {tensor(src, test_engine(), &from)}, {tensor(dst, test_engine(), to)});
    EXPECT_EQ(to[3], 5);
}

TEST(graph_regression, a_tensor_that_is_not_an_input_is_not_written) {
    const logical_tensor src = dense(1, {4}), dst = dense(2, {4});
    const auto compiled =
            alone(kind_t::ReLU, {src}, {dst}).compile({src, dst}, {dst}, test_engine());
    float from[4] = {5, 5, 5, 5}, stranger[4] = {}, to[4] = {};
    dnnl::stream stream(test_engine());
    compiled.execute(stream,
            {tensor(src, test_engine(), from), tensor(dst, test_engine(), stranger)},
            {tensor(dst, test_engine(), to)});
    EXPECT_EQ(stranger[3], 0);
    EXPECT_EQ(to[3], 5);
}

} // namespace kiln::test
