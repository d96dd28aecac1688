// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations that rearrange tensors, multiply matrices or move windows.
#include <gtest/gtest.h>

#include "graph/op_samples.hpp"
#include "graph/schema/shape_cases.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::test {

namespace {

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

} // namespace

} // namespace kiln::test
