// SPDX-License-Identifier: Apache-2.0
// Shape inference of each operation: unknown shapes of outputs are inferred, known ones are
// checked.
#include <set>

#include <gtest/gtest.h>

#include "graph/op_samples.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::test {

namespace {

using graph::attr_value_t;
using graph::logical_tensor_t;
using graph::op_t;
using graph::shape_t;
using shapes_t = std::vector<shape_t>;
using list_t = std::vector<int64_t>;

#define ATTR(name) dnnl_graph_op_attr_##name
constexpr dnnl_dim_t unknown = DNNL_GRAPH_UNKNOWN_DIM;

/// One inference: shapes of inputs and expected shapes of outputs; without outputs a refusal.
struct case_t {
    dnnl_graph_op_kind_t kind;
    attributes_t attributes;
    shapes_t inputs, outputs;
};

/// An operation with these inputs; types do not affect shapes.
op_t op_of(const case_t &c, size_t output_count) {
    tensors_t inputs;
    for (const shape_t &shape : c.inputs) inputs.push_back(tensor(dnnl_f32, shape));
    return make_op(c.kind, inputs, tensors_t(output_count, tensor(dnnl_f32)), c.attributes);
}

dnnl_status_t infer(op_t &op) {
    graph::fill_default_attributes(op);
    return graph::infer_shapes(op, op.inputs, op.outputs);
}

std::string describe(const case_t &c) {
    std::string text = graph::name_of(c.kind);
    for (const shape_t &shape : c.inputs) {
        text += " (";
        for (dnnl_dim_t dim : shape) text += std::to_string(dim) + ",";
        text += ")";
    }
    return text;
}

void expect_inferred(const case_t &c) {
    SCOPED_TRACE(describe(c));
    op_t op = op_of(c, c.outputs.size());
    ASSERT_EQ(infer(op), dnnl_success);
    for (size_t i = 0; i < c.outputs.size(); ++i) {
        EXPECT_EQ(graph::shape_of(op.outputs[i]), c.outputs[i]) << i;
        EXPECT_TRUE(graph::has_known_strides(op.outputs[i])) << i; // row-major
    }
    // Inferred shapes are accepted as given ones.
    EXPECT_EQ(infer(op), dnnl_success);
    for (logical_tensor_t &output : op.outputs) {
        const logical_tensor_t right = output;
        output = tensor(dnnl_f32, shape_t(static_cast<size_t>(right.ndims) + 1, unknown));
        EXPECT_EQ(infer(op), dnnl_invalid_shape) << "one dim too many";
        for (int d = 0; d < right.ndims; ++d) {
            output = right;
            output.dims[d] += 1;
            EXPECT_EQ(infer(op), dnnl_invalid_shape) << "another dim " << d;
            output.dims[d] = unknown;
            EXPECT_EQ(infer(op), dnnl_success) << "an unknown dim " << d;
            EXPECT_EQ(graph::shape_of(output), graph::shape_of(right));
        }
        output = right;
    }
}

void expect_refused(const case_t &c, dnnl_status_t status = dnnl_invalid_shape) {
    SCOPED_TRACE(describe(c));
    op_t op = op_of(c, 1);
    EXPECT_EQ(infer(op), status);
}

std::pair<const dnnl_graph_op_attr_t, attr_value_t> data_format(const char *name) {
    return {ATTR(data_format), std::string(name)};
}

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

// ---- rearrangements

TEST(shape_inference, of_reductions_drops_or_keeps_axes) {
    const auto reduce = [](const list_t &axes, bool keeps) {
        return attributes_t{{ATTR(axes), axes}, {ATTR(keep_dims), keeps}};
    };
    for (auto kind : {dnnl_graph_op_reduce_l1, dnnl_graph_op_reduce_l2, dnnl_graph_op_reduce_max,
                 dnnl_graph_op_reduce_mean, dnnl_graph_op_reduce_min, dnnl_graph_op_reduce_prod,
                 dnnl_graph_op_reduce_sum}) {
        expect_inferred({kind, reduce({1}, false), {{2, 3, 4}}, {{2, 4}}});
        expect_inferred({kind, reduce({-1}, true), {{2, 3, 4}}, {{2, 3, 1}}});
        expect_inferred({kind, reduce({0, 1, 2}, false), {{2, 3, 4}}, {{}}});
        expect_inferred({kind, reduce({}, false), {{2, 3, 4}}, {{2, 3, 4}}});
        expect_inferred({kind, reduce({1}, false), {{0, 3}}, {{0}}});
        expect_refused({kind, reduce({3}, false), {{2, 3, 4}}, {}});
        expect_refused({kind, reduce({0, -3}, false), {{2, 3, 4}}, {}});
        expect_refused({kind, {}, {{2, 3}, {1}}, {}}, dnnl_unimplemented);
    }
}

TEST(shape_inference, of_reshape_infers_the_dim_minus_one) {
    const auto to = [](const list_t &shape, bool special_zero = false) {
        return attributes_t{{ATTR(shape), shape}, {ATTR(special_zero), special_zero}};
    };
    constexpr auto kind = dnnl_graph_op_static_reshape;
    expect_inferred({kind, to({6, 4}), {{2, 3, 4}}, {{6, 4}}});
    expect_inferred({kind, to({-1, 4}), {{2, 3, 4}}, {{6, 4}}});
    expect_inferred({kind, to({0, -1}, true), {{2, 3, 4}}, {{2, 12}}});
    expect_inferred({kind, to({0, 5}), {{2, 0}}, {{0, 5}}});
    expect_inferred({kind, to({}), {{1, 1}}, {{}}});
    expect_inferred({kind, to({-1}), {{}}, {{1}}});
    expect_refused({kind, to({5, 4}), {{2, 3, 4}}, {}});
    expect_refused({kind, to({-1, 5}), {{2, 3, 4}}, {}});
    expect_refused({kind, to({-1, -1}), {{2, 3, 4}}, {}});
    expect_refused({kind, to({1, 1, 1, 0}, true), {{2, 3, 4}}, {}});
    expect_refused({kind, to({-1, 0}), {{2, 0}}, {}}); // any dim is possible
    expect_refused({kind, to({int64_t(1) << 32, int64_t(1) << 32}), {{0}}, {}}); // 0 modulo 2^64
}

TEST(shape_inference, of_transposition_orders_dims) {
    const auto by = [](const list_t &order) { return attributes_t{{ATTR(order), order}}; };
    constexpr auto kind = dnnl_graph_op_static_transpose;
    expect_inferred({kind, by({2, 0, 1}), {{2, 3, 4}}, {{4, 2, 3}}});
    expect_inferred({kind, by({0, -1, -2}), {{2, 3, 4}}, {{2, 4, 3}}});
    expect_inferred({kind, by({}), {{2, 3, 4}}, {{4, 3, 2}}});
    expect_refused({kind, by({0, 1}), {{2, 3, 4}}, {}});
    expect_refused({kind, by({0, 1, 1}), {{2, 3, 4}}, {}});
    expect_refused({kind, by({0, 1, 3}), {{2, 3, 4}}, {}});
}

TEST(shape_inference, of_concatenation_adds_along_the_axis) {
    const auto along = [](int64_t axis) { return attributes_t{{ATTR(axis), axis}}; };
    constexpr auto kind = dnnl_graph_op_concat;
    expect_inferred({kind, along(1), {{2, 3}, {2, 5}, {2, 0}}, {{2, 8}}});
    expect_inferred({kind, along(-2), {{2, 3}, {4, 3}}, {{6, 3}}});
    expect_inferred({kind, along(0), {{2, 3}}, {{2, 3}}});
    expect_refused({kind, along(1), {{2, 3}, {3, 3}}, {}});
    expect_refused({kind, along(1), {{2, 3}, {2, 3, 1}}, {}});
    expect_refused({kind, along(2), {{2, 3}, {2, 3}}, {}});
}

TEST(shape_inference, of_interpolation_sizes_or_scales_space) {
    constexpr auto kind = dnnl_graph_op_interpolate;
    const attributes_t sizes = {{ATTR(sizes), list_t{7, 8}}};
    const attributes_t scales = {{ATTR(scales), std::vector<float>{1.5f, 2}}};
    expect_inferred({kind, sizes, {{2, 5, 6, 3}}, {{2, 7, 8, 3}}});
    expect_inferred({kind, scales, {{2, 5, 6, 3}}, {{2, 7, 12, 3}}});
    expect_inferred({kind, {{ATTR(sizes), list_t{7, 8}}, data_format("NCX")}, {{2, 3, 5, 6}},
            {{2, 3, 7, 8}}});
    expect_refused({kind, sizes, {{2, 5, 3}}, {}});
    expect_refused({kind, {}, {{2, 5, 6, 3}, {2}}, {}}, dnnl_unimplemented);
}

TEST(shape_inference, of_matrix_products) {
    constexpr auto kind = dnnl_graph_op_matmul;
    const attributes_t a = {{ATTR(transpose_a), true}};
    const attributes_t b = {{ATTR(transpose_b), true}};
    expect_inferred({kind, {}, {{2, 3}, {3, 4}}, {{2, 4}}});
    expect_inferred({kind, a, {{3, 2}, {3, 4}}, {{2, 4}}});
    expect_inferred({kind, b, {{2, 3}, {4, 3}, {4}}, {{2, 4}}});
    expect_inferred({kind, {}, {{5, 1, 2, 3}, {7, 3, 4}}, {{5, 7, 2, 4}}});
    expect_inferred({kind, {}, {{3}, {2, 3, 4}}, {{2, 4}}});
    expect_inferred({kind, {}, {{2, 3, 4}, {4}}, {{2, 3}}});
    expect_inferred({kind, {}, {{3}, {3}}, {{}}});
    expect_refused({kind, {}, {{2, 3}, {4, 3}}, {}});
    expect_refused({kind, {}, {{2, 2, 3}, {3, 3, 4}}, {}});
    expect_refused({kind, {}, {{2, 3}, {3, 4}, {2, 1, 4}}, {}});
}

// ---- windows

attributes_t window(
        const list_t &strides, const list_t &begin, const list_t &end, const attributes_t &more) {
    attributes_t all = {{ATTR(strides), strides}, {ATTR(pads_begin), begin}, {ATTR(pads_end), end},
            data_format("NCX")};
    all.insert(more.begin(), more.end());
    return all;
}

TEST(shape_inference, of_pooling_counts_positions_of_the_window) {
    const attributes_t kernel = {{ATTR(kernel), list_t{3}}};
    const auto with = [&](const attributes_t &more) {
        attributes_t all = kernel;
        all.insert(more.begin(), more.end());
        return window({2}, {1}, {0}, all);
    };
    for (auto kind : {dnnl_graph_op_avg_pool, dnnl_graph_op_max_pool}) {
        expect_inferred({kind, with({}), {{2, 3, 9}}, {{2, 3, 4}}});
        expect_inferred({kind, with({{ATTR(rounding_type), std::string("ceil")}}), {{2, 3, 9}},
                {{2, 3, 5}}});
        expect_inferred(
                {kind, with({{ATTR(auto_pad), std::string("VALID")}}), {{2, 3, 9}}, {{2, 3, 4}}});
        for (const char *same : {"SAME_UPPER", "same_lower"}) {
            const attributes_t attributes = with({{ATTR(auto_pad), std::string(same)}});
            expect_inferred({kind, attributes, {{2, 3, 9}}, {{2, 3, 5}}});
            expect_inferred({kind, attributes, {{2, 3, 8}}, {{2, 3, 4}}});
        }
        expect_refused({kind, with({}), {{2, 3, 1}}, {}});
        expect_refused({kind, with({}), {{2, 3, 9, 9}}, {}});
        expect_refused({kind, with({}), {{2, 3}}, {}});
    }
    expect_inferred({dnnl_graph_op_max_pool, with({{ATTR(dilations), list_t{2}}}), {{2, 3, 9}},
            {{2, 3, 3}}});
    attributes_t nxc = with({});
    nxc[ATTR(data_format)] = std::string("NXC");
    expect_inferred({dnnl_graph_op_avg_pool, nxc, {{2, 9, 3}}, {{2, 4, 3}}});
    expect_inferred(
            {dnnl_graph_op_max_pool_backward, with({}), {{2, 3, 9}, {2, 3, 4}}, {{2, 3, 9}}});
}

TEST(shape_inference, of_convolution) {
    const auto with = [](const char *format, const char *weights, int64_t groups) {
        attributes_t all = window({2, 1}, {1, 0}, {1, 0},
                {{ATTR(dilations), list_t{1, 2}}, {ATTR(groups), groups},
                        {ATTR(weights_format), std::string(weights)}});
        all[ATTR(data_format)] = std::string(format);
        return all;
    };
    constexpr auto kind = dnnl_graph_op_convolution;
    expect_inferred({kind, with("NCX", "OIX", 1), {{2, 4, 8, 9}, {6, 4, 3, 3}}, {{2, 6, 4, 5}}});
    expect_inferred({kind, with("NXC", "XIO", 2), {{2, 8, 9, 4}, {3, 3, 2, 6}}, {{2, 4, 5, 6}}});
    expect_refused({kind, with("NCX", "OIX", 2), {{2, 4, 8, 9}, {6, 4, 3, 3}}, {}});
    expect_refused({kind, with("NCX", "OIX", 1), {{2, 4, 8}, {6, 4, 3}}, {}});
    expect_refused({kind, with("NCX", "OIX", 1), {{2, 4, 8, 4}, {6, 4, 3, 3}}, {}});

    constexpr auto backward = dnnl_graph_op_conv_transpose_backward_data;
    expect_inferred(
            {backward, with("NCX", "IOX", 2), {{2, 4, 8, 9}, {6, 2, 3, 3}}, {{2, 6, 4, 5}}});

    attributes_t transposed = with("NXC", "XOI", 2);
    transposed[ATTR(output_padding)] = list_t{1, 0};
    expect_inferred({dnnl_graph_op_conv_transpose, transposed, {{2, 4, 5, 6}, {3, 3, 2, 6}},
            {{2, 8, 9, 4}}});
    transposed[ATTR(auto_pad)] = std::string("VALID");
    expect_inferred({dnnl_graph_op_conv_transpose, transposed, {{2, 4, 5, 6}, {3, 3, 2, 6}},
            {{2, 10, 9, 4}}});
    transposed[ATTR(auto_pad)] = std::string("SAME_UPPER");
    expect_inferred({dnnl_graph_op_conv_transpose, transposed, {{2, 4, 5, 6}, {3, 3, 2, 6}},
            {{2, 9, 5, 4}}});
}

TEST(shape_inference, uses_attributes_for_shapes_that_depend_on_data) {
    struct from_attribute_t {
        dnnl_graph_op_kind_t kind;
        dnnl_graph_op_attr_t attr;
    };
    for (const auto &[kind, attr] : {
                 from_attribute_t{dnnl_graph_op_avg_pool_backward, ATTR(src_shape)},
                 from_attribute_t{dnnl_graph_op_convolution_backward_data, ATTR(dst_shape)},
                 from_attribute_t{dnnl_graph_op_convolution_backward_weights, ATTR(weights_shape)},
                 from_attribute_t{
                         dnnl_graph_op_conv_transpose_backward_weights, ATTR(weights_shape)}}) {
        const shapes_t inputs = {{2, 3, 4, 4}, {3, 3, 2, 2}};
        expect_inferred({kind, {{attr, list_t{2, 3, 5, 5}}}, inputs, {{2, 3, 5, 5}}});
        expect_refused({kind, {}, inputs, {}}, dnnl_unimplemented);
        op_t given = op_of({kind, {{attr, list_t(12, 0)}}, inputs, {}}, 1);
        given.outputs[0] = tensor(dnnl_f32, {2, 3, 5, 5});
        EXPECT_EQ(infer(given), dnnl_success);
    }
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
