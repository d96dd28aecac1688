// SPDX-License-Identifier: Apache-2.0
// Shape inference of each operation: unknown shapes of outputs are inferred, known ones are
// checked.
#include <gtest/gtest.h>

#include "graph/op_samples.hpp"
#include "graph/schema/shape_cases.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::test {

namespace {

TEST(shape_inference, of_elementwise_operations_keeps_the_shape) {
    const auto is_like = [](const op_t &op, dnnl_graph_op_kind_t kind) {
        return graph::find_schema(op.kind)->infer == graph::find_schema(kind)->infer;
    };
    for (const op_t &op : smallest_forms()) {
        const bool is_gradient = is_like(op, dnnl_graph_op_relu_backward);
        if (!is_like(op, dnnl_graph_op_relu) && !is_gradient) continue;
        for (const shape_t &shape : shapes_t{{2, 3, 4}, {}, {0, 3}})
            expect_inferred({op.kind, op.attributes, shapes_t(op.inputs.size(), shape),
                    shapes_t(op.outputs.size(), shape)});
        if (is_gradient) expect_refused({op.kind, op.attributes, {{2, 3}, {3, 2}}, {}});
    }
}

TEST(shape_inference, broadcasts_operands) {
    for (auto kind : {dnnl_graph_op_add, dnnl_graph_op_subtract, dnnl_graph_op_multiply,
                 dnnl_graph_op_divide, dnnl_graph_op_maximum, dnnl_graph_op_minimum,
                 dnnl_graph_op_squared_difference, dnnl_graph_op_greater_equal}) {
        expect_inferred({kind, {}, {{2, 3}, {2, 3}}, {{2, 3}}});
        expect_inferred({kind, {}, {{2, 1, 4}, {3, 1}}, {{2, 3, 4}}});
        expect_inferred({kind, {}, {{3}, {2, 3}}, {{2, 3}}});
        expect_inferred({kind, {}, {{2, 3}, {}}, {{2, 3}}});
        expect_inferred({kind, {}, {{2, 1}, {0, 2, 1}}, {{0, 2, 1}}});
        expect_refused({kind, {}, {{2, 3}, {2}}, {}});
        expect_refused({kind, {{ATTR(auto_broadcast), std::string("none")}}, {{2, 3}, {1, 3}}, {}});
    }
}

TEST(shape_inference, of_select_broadcasts_the_condition_one_way) {
    constexpr auto kind = dnnl_graph_op_select;
    expect_inferred({kind, {}, {{3, 1}, {2, 1, 4}, {3, 1}}, {{2, 3, 4}}});
    expect_refused({kind, {}, {{2, 3}, {1}, {3}}, {}});
    expect_refused({kind, {}, {{1}, {2}, {3}}, {}});
    expect_refused({kind, {{ATTR(auto_broadcast), std::string("none")}}, {{1}, {2}, {2}}, {}});
}

TEST(shape_inference, of_bias_checks_channels) {
    constexpr auto add = dnnl_graph_op_bias_add;
    expect_inferred({add, {}, {{2, 5, 6, 3}, {3}}, {{2, 5, 6, 3}}});
    expect_inferred({add, {data_format("NCX")}, {{2, 3, 5, 6}, {3}}, {{2, 3, 5, 6}}});
    expect_refused({add, {data_format("NCX")}, {{2, 5, 6, 3}, {3}}, {}});
    expect_refused({add, {}, {{2, 3}, {1, 3}}, {}});
    constexpr auto backward = dnnl_graph_op_bias_add_backward;
    expect_inferred({backward, {}, {{2, 5, 6, 3}}, {{3}}});
    expect_inferred({backward, {data_format("NCX")}, {{2, 3, 5, 6}}, {{3}}});
}

TEST(shape_inference, of_prelu_gradients_follows_src_and_slope) {
    expect_inferred(
            {dnnl_graph_op_prelu_backward, {}, {{2, 3, 4}, {4}, {2, 3, 4}}, {{2, 3, 4}, {4}}});
    for (const shape_t &diff_dst : shapes_t{{}, {4}, {1, 3, 4}, {1, 1, 1}, {2, 4, 3}, {2, 2, 3, 4}})
        expect_refused({dnnl_graph_op_prelu_backward, {}, {{2, 3, 4}, {4}, diff_dst}, {}});
}

TEST(shape_inference, of_dynamic_quantization_counts_scales) {
    const attributes_t by_rows = {
            {ATTR(qtype), std::string("per_channel")}, {ATTR(axis), int64_t(0)}};
    constexpr auto kind = dnnl_graph_op_dynamic_quantize;
    expect_inferred({kind, by_rows, {{2, 3}, {2}}, {{2, 3}}});
    expect_inferred({kind, {}, {{2, 3}, {1}, {1}}, {{2, 3}}});
    expect_refused({kind, by_rows, {{2, 3}, {3}}, {}});
    expect_refused({kind, {}, {{2, 3}, {2}}, {}});
}

// ---- normalizations

attributes_t from_axis(int64_t axis) { return {{ATTR(begin_norm_axis), axis}}; }

TEST(shape_inference, of_layer_norm_statistics_keeps_the_dims_before_the_axis) {
    constexpr auto kind = dnnl_graph_op_layer_norm;
    const shape_t src = {2, 3, 4};
    expect_inferred({kind, {}, {src}, {src}});
    for (const auto &[axis, kept] : std::initializer_list<std::pair<int64_t, shape_t>>{
                 {-1, {2, 3}}, {2, {2, 3}}, {1, {2}}, {-2, {2}}, {0, {}}, {-3, {}}}) {
        op_t op = op_of({kind, from_axis(axis), {src}, {}}, 3);
        ASSERT_EQ(infer(op), dnnl_success);
        EXPECT_EQ(graph::shape_of(op.outputs[0]), src);
        EXPECT_EQ(graph::shape_of(op.outputs[1]), kept) << axis;
        EXPECT_EQ(graph::shape_of(op.outputs[2]), kept) << axis;
    }
    expect_refused({kind, from_axis(3), {src}, {}});
}

TEST(shape_inference, of_layer_norm_accepts_statistics_with_trailing_ones) {
    op_t op = op_of({dnnl_graph_op_layer_norm, from_axis(1), {{2, 3, 4}}, {}}, 3);
    op.outputs[1] = tensor(dnnl_f32, {2, 1, 1});
    op.outputs[2] = tensor(dnnl_f32, {unknown, unknown, unknown});
    EXPECT_EQ(infer(op), dnnl_success);
    EXPECT_EQ(graph::shape_of(op.outputs[1]), (shape_t{2, 1, 1}));
    EXPECT_EQ(graph::shape_of(op.outputs[2]), (shape_t{2, 1, 1}));
    for (const shape_t &wrong : shapes_t{{2, 3, 1}, {3}, {1, 2}, {2, 1, 1, 1}}) {
        op.outputs[1] = tensor(dnnl_f32, wrong);
        EXPECT_EQ(infer(op), dnnl_invalid_shape);
    }
}

TEST(shape_inference, of_layer_norm_skips_absent_outputs) {
    op_t op = op_of({dnnl_graph_op_layer_norm, {}, {{2, 3}}, {}}, 3);
    op.outputs[0] = op.outputs[1] = absent();
    EXPECT_EQ(infer(op), dnnl_success);
    EXPECT_FALSE(graph::has_known_shape(op.outputs[0]));
    EXPECT_FALSE(graph::has_known_shape(op.outputs[1]));
    EXPECT_EQ(graph::shape_of(op.outputs[2]), (shape_t{2}));
}

TEST(shape_inference, of_layer_and_rms_norm_broadcasts_gamma_to_src) {
    for (const shape_t &gamma : shapes_t{{4}, {3, 4}, {1}, {1, 4}, {3, 1}, {2, 3, 4}, {}, {12}}) {
        expect_inferred({dnnl_graph_op_rms_norm, from_axis(1), {{2, 3, 4}, gamma}, {{2, 3, 4}}});
        expect_inferred(
                {dnnl_graph_op_layer_norm, from_axis(1), {{2, 3, 4}, gamma, gamma}, {{2, 3, 4}}});
    }
    for (const shape_t &gamma : shapes_t{{3}, {4, 1}, {1, 2, 3, 4}, {24}, {1, 12}}) {
        expect_refused({dnnl_graph_op_rms_norm, from_axis(1), {{2, 3, 4}, gamma}, {}});
        expect_refused({dnnl_graph_op_layer_norm, from_axis(1), {{2, 3, 4}, {4}, gamma}, {}});
    }
}

TEST(shape_inference, of_layer_norm_gradients_follows_src_and_gamma) {
    constexpr auto kind = dnnl_graph_op_layer_norm_backward;
    const shape_t src = {2, 3, 4};
    expect_inferred({kind, {}, {src, src, {2, 3}, {2, 3}, {4}, {4}}, {src, {4}, {4}}});
    expect_inferred({kind, from_axis(1), {src, src, {2}, {2, 1, 1}, {3, 4}, {3, 4}},
            {src, {3, 4}, {3, 4}}});
    expect_inferred({kind, from_axis(1), {src, src, {2}, {2}, {12}, {4}}, {src, {12}, {4}}});
    expect_inferred({kind, {}, {src, src, {4}}, {src, {4}, {4}}});
    expect_inferred({kind, {{ATTR(use_affine), true}}, {src, src, {4}, {1}}, {src, {4}, {1}}});
    expect_inferred({kind, {{ATTR(use_affine), false}}, {src, src, {2, 3}, {2, 3}}, {src}});
    expect_inferred({kind, {}, {src, src, {2, 3}, {2, 3}}, {src}});
    expect_refused({kind, {}, {src, src, {4}, {4}}, {}});
    expect_refused({kind, {{ATTR(use_affine), true}}, {src, src, {2, 3}, {2, 3}}, {}});
    expect_inferred({kind, {}, {src, src}, {src}});
    expect_refused({kind, {}, {src, {2, 3, 5}}, {}});
    expect_refused({kind, {{ATTR(use_affine), false}}, {src, src, {3, 2}, {2, 3}}, {}});
    expect_refused({kind, {}, {src, src, {2, 3}, {2, 3}, {5}, {4}}, {}});
}

TEST(shape_inference, of_group_norm_has_statistics_of_groups) {
    const attributes_t groups = {{ATTR(groups), int64_t(2)}};
    attributes_t ncx = groups;
    ncx.insert(data_format("NCX"));
    constexpr auto kind = dnnl_graph_op_group_norm;
    expect_inferred({kind, groups, {{3, 5, 6, 4}, {4}, {4}}, {{3, 5, 6, 4}, {3, 2}, {3, 2}}});
    expect_inferred({kind, ncx, {{3, 4, 5}, {4}, {4}}, {{3, 4, 5}, {3, 2}, {3, 2}}});
    expect_refused({kind, ncx, {{3, 5, 4}}, {}});
    expect_refused({kind, ncx, {{3, 4, 5}, {5}, {4}}, {}});
}

TEST(shape_inference, of_batch_norm_has_values_of_channels) {
    const shape_t nxc = {2, 5, 6, 3};
    const shape_t ncx = {2, 3, 5, 6};
    const shape_t c = {3};
    for (const auto &[format, src] : {std::pair{"NXC", nxc}, std::pair{"NCX", ncx}}) {
        const attributes_t attributes = {{ATTR(epsilon), 1e-5f}, data_format(format)};
        expect_inferred({dnnl_graph_op_batch_norm_inference, attributes, {src, c, c, c, c}, {src}});
        expect_inferred({dnnl_graph_op_batch_norm_forward_training, attributes, {src, c, c, c, c},
                {src, c, c, c, c}});
        expect_inferred(
                {dnnl_graph_op_batch_norm_backward, attributes, {src, src, c, c, c}, {src, c, c}});
        expect_inferred({dnnl_graph_op_batch_norm_backward, attributes, {src, src, c, c}, {src}});
        expect_refused({dnnl_graph_op_batch_norm_inference, attributes, {src, c, c, c, {4}}, {}});
        expect_refused({dnnl_graph_op_batch_norm_backward, attributes, {src, c, c, c}, {}});
    }
    expect_refused({dnnl_graph_op_batch_norm_inference, {}, {c, c, c, c, c}, {}});
}

TEST(shape_inference, of_softmax_statistics_has_a_dim_of_one) {
    constexpr auto kind = dnnl_graph_op_softmax;
    expect_inferred({kind, {}, {{2, 3, 4}}, {{2, 3, 4}, {2, 1, 4}}});
    expect_inferred({kind, {{ATTR(axis), int64_t(-1)}}, {{2, 3, 4}}, {{2, 3, 4}, {2, 3, 1}}});
}

// ---- other operations

TEST(shape_inference, requires_given_outputs_of_a_wildcard) {
    op_t op = op_of({dnnl_graph_op_wildcard, {}, {{2, 3}}, {}}, 1);
    EXPECT_EQ(infer(op), dnnl_unimplemented);
    op.outputs[0] = tensor(dnnl_f32, {5});
    EXPECT_EQ(infer(op), dnnl_success);
    op_t end = op_of({dnnl_graph_op_end, {}, {{2, 3}}, {}}, 0);
    EXPECT_EQ(infer(end), dnnl_success);
}

TEST(shape_inference, requires_the_shapes_of_inputs) {
    for (const logical_tensor_t &input : {tensor(dnnl_f32), tensor(dnnl_f32, {2, unknown})}) {
        op_t op = make_op(dnnl_graph_op_relu, {input}, {tensor(dnnl_f32)});
        EXPECT_EQ(infer(op), dnnl_invalid_shape);
    }
}

TEST(shape_inference, keeps_strides_and_layouts_that_are_given) {
    op_t op = make_op(
            dnnl_graph_op_relu, {tensor(dnnl_f32, {2, 3})}, {tensor(dnnl_f32, {2, unknown})});
    op.outputs[0].layout.strides[0] = 1;
    op.outputs[0].layout.strides[1] = 2;
    EXPECT_EQ(infer(op), dnnl_success);
    EXPECT_EQ(op.outputs[0].layout.strides[0], 1);
    EXPECT_EQ(op.outputs[0].layout.strides[1], 2);
    op.outputs[0] = tensor(dnnl_f32);
    op.outputs[0].layout_type = dnnl_graph_layout_type_any;
    EXPECT_EQ(infer(op), dnnl_success);
    EXPECT_EQ(op.outputs[0].layout_type, dnnl_graph_layout_type_any);
    EXPECT_EQ(graph::shape_of(op.outputs[0]), (shape_t{2, 3}));
}

} // namespace

} // namespace kiln::test
