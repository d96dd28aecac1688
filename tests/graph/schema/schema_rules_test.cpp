// SPDX-License-Identifier: Apache-2.0
// Checks of operations against rules of their schemas: data types that depend on each other,
// optional inputs and outputs, attributes that exclude each other.
#include <gtest/gtest.h>

#include "graph/op_samples.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::test {

namespace {

using graph::attr_type_t;
using graph::attr_value_t;
using graph::check_op;
using graph::logical_tensor_t;
using graph::op_t;

#define ATTR(name) dnnl_graph_op_attr_##name

// ---- data types that depend on each other

dnnl_status_t with_types(graph::op_kind_t kind, const std::vector<dnnl_data_type_t> &inputs,
        const std::vector<dnnl_data_type_t> &outputs, const attributes_t &attributes = {}) {
    tensors_t ins, outs;
    for (auto type : inputs) ins.push_back(tensor(type));
    for (auto type : outputs) outs.push_back(tensor(type));
    return check_op(make_op(kind, ins, outs, attributes));
}

constexpr auto f32 = dnnl_f32;
constexpr auto bf16 = dnnl_bf16;
constexpr auto f16 = dnnl_f16;
constexpr auto refused = dnnl_invalid_graph_op;

TEST(data_types, of_type_casts_differ_and_one_of_them_is_f32) {
    constexpr auto cast = dnnl_graph_op_type_cast;
    for (auto type : {bf16, f16}) {
        EXPECT_EQ(with_types(cast, {f32}, {type}), dnnl_success);
        EXPECT_EQ(with_types(cast, {type}, {f32}), dnnl_success);
        EXPECT_EQ(with_types(cast, {type}, {type}), refused);
    }
    EXPECT_EQ(with_types(cast, {f32}, {f32}), refused);
    EXPECT_EQ(with_types(cast, {f16}, {bf16}), refused);
    EXPECT_EQ(with_types(cast, {f32}, {dnnl_s8}), refused);
}

TEST(data_types, of_sums_and_products_may_be_mixed_but_not_of_maxima) {
    EXPECT_EQ(with_types(dnnl_graph_op_add, {f32, bf16}, {f16}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_add, {dnnl_s32, f32}, {f32}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_multiply, {f32, bf16}, {bf16}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_multiply, {dnnl_s32, f32}, {f32}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_maximum, {f32, bf16}, {f32}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_relu, {f32}, {bf16}), refused);
}

TEST(data_types, of_results_are_the_operands_or_f32) {
    EXPECT_EQ(with_types(dnnl_graph_op_matmul, {bf16, bf16}, {f32}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_matmul, {f32, f32}, {bf16}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_softmax, {f32}, {bf16}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_softmax, {bf16}, {f32}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_softmax, {bf16}, {f16}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_softmax_backward, {bf16, bf16}, {f32}), dnnl_success);
    EXPECT_EQ(with_types(dnnl_graph_op_softmax_backward, {f32, f32}, {bf16}), refused);
}

TEST(data_types, of_layer_normalizations_weights_and_statistics_are_any_floats) {
    const auto floats = {f32, bf16, f16};
    for (auto data : floats)
        for (auto weights : floats)
            for (auto statistics : floats) {
                EXPECT_EQ(with_types(dnnl_graph_op_layer_norm, {data, weights, weights},
                                  {data, statistics, statistics}),
                        dnnl_success);
                EXPECT_EQ(with_types(dnnl_graph_op_layer_norm_backward,
                                  {data, data, statistics, statistics, weights, weights},
                                  {data, weights, weights}),
                        dnnl_success);
                EXPECT_EQ(
                        with_types(dnnl_graph_op_rms_norm, {data, weights}, {data}), dnnl_success);
            }
    EXPECT_EQ(with_types(dnnl_graph_op_layer_norm, {f32, f32, bf16}, {f32, f32, f32}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_layer_norm, {f32, f32, f32}, {f32, f32, bf16}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_layer_norm, {f32, f32, f32}, {bf16, f32, f32}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_layer_norm_backward, {f32, f32, f32, f32, bf16, bf16},
                      {f32, f32, f32}),
            refused);
}

TEST(data_types, of_channels_weights_are_f32_or_the_datas) {
    const attributes_t epsilon = {{ATTR(epsilon), 1e-5f}};
    const auto inference = [&](auto data, auto weights) {
        return with_types(dnnl_graph_op_batch_norm_inference,
                {data, weights, weights, weights, weights}, {data}, epsilon);
    };
    EXPECT_EQ(inference(bf16, bf16), dnnl_success);
    EXPECT_EQ(inference(bf16, f32), dnnl_success);
    EXPECT_EQ(inference(f16, f16), dnnl_success);
    EXPECT_EQ(inference(f32, bf16), refused);
    EXPECT_EQ(inference(f16, bf16), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_group_norm, {f32, bf16, bf16}, {f32, f32, f32},
                      {{ATTR(groups), int64_t(2)}}),
            refused);
    EXPECT_EQ(with_types(dnnl_graph_op_group_norm, {bf16, bf16, bf16}, {bf16, f32, f32},
                      {{ATTR(groups), int64_t(2)}}),
            dnnl_success);
}

// ---- optional inputs and outputs

TEST(layer_norm, has_outputs_for_statistics_if_they_are_kept) {
    const tensors_t src = {tensor(f32)};
    const auto with = [&](const tensors_t &outputs, bool keeps) {
        return check_op(
                make_op(dnnl_graph_op_layer_norm, src, outputs, {{ATTR(keep_stats), keeps}}));
    };
    EXPECT_EQ(with({tensor(f32)}, false), dnnl_success);
    EXPECT_EQ(with({tensor(f32)}, true), refused);
    EXPECT_EQ(with({tensor(f32), absent(), tensor(f32)}, true), dnnl_success);
    EXPECT_EQ(with({tensor(f32), tensor(f32), absent()}, true), dnnl_success);
    EXPECT_EQ(with({absent(), tensor(f32), tensor(f32)}, true), dnnl_success);
    EXPECT_EQ(with({absent(), absent(), absent()}, true), refused);
    EXPECT_EQ(with({tensor(f32), tensor(f32)}, true), refused);
}

op_t layer_norm_backward(size_t input_count, const tensors_t &outputs, std::optional<bool> affine) {
    op_t op = make_op(
            dnnl_graph_op_layer_norm_backward, tensors_t(input_count, tensor(f32)), outputs);
    if (affine) op.attributes[ATTR(use_affine)] = *affine;
    return op;
}

TEST(layer_norm_backward, identifies_inputs_by_number_and_use_affine) {
    struct case_t {
        size_t count;
        std::optional<bool> use_affine;
        int mean, variance, gamma, beta;
    };
    for (const case_t &c : {case_t{2, false, -1, -1, -1, -1}, case_t{2, {}, -1, -1, -1, -1},
                 case_t{3, true, -1, -1, 2, -1}, case_t{3, {}, -1, -1, 2, -1},
                 case_t{4, false, 2, 3, -1, -1}, case_t{4, {}, 2, 3, -1, -1},
                 case_t{4, true, -1, -1, 2, 3}, case_t{5, true, 2, 3, 4, -1},
                 case_t{5, {}, 2, 3, 4, -1}, case_t{6, true, 2, 3, 4, 5}, case_t{6, {}, 2, 3, 4, 5},
                 case_t{6, false, 2, 3, -1, -1}}) {
        SCOPED_TRACE(testing::Message()
                     << c.count << " inputs, use_affine "
                     << (c.use_affine ? *c.use_affine ? "true" : "false" : "not set"));
        const op_t op = layer_norm_backward(c.count, tensors_t(3, tensor(f32)), c.use_affine);
        EXPECT_EQ(graph::find_input(op, "src"), 0);
        EXPECT_EQ(graph::find_input(op, "diff_dst"), 1);
        EXPECT_EQ(graph::find_input(op, "mean"), c.mean);
        EXPECT_EQ(graph::find_input(op, "variance"), c.variance);
        EXPECT_EQ(graph::find_input(op, "gamma"), c.gamma);
        EXPECT_EQ(graph::find_input(op, "beta"), c.beta);
    }
}

TEST(layer_norm_backward, accepts_numbers_of_inputs_that_have_one_meaning) {
    const tensors_t one = {tensor(f32)};
    const tensors_t three(3, tensor(f32));
    EXPECT_EQ(check_op(layer_norm_backward(1, one, false)), refused);
    EXPECT_EQ(check_op(layer_norm_backward(2, one, false)), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(2, one, {})), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(2, one, true)), refused); // gamma is missing
    EXPECT_EQ(check_op(layer_norm_backward(3, one, false)), refused);
    EXPECT_EQ(check_op(layer_norm_backward(3, three, {})), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(3, three, true)), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(4, one, false)), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(4, one, {})), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(4, three, {})), refused); // there is no gamma
    EXPECT_EQ(check_op(layer_norm_backward(4, three, true)), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(5, three, {})), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(6, three, {})), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(7, three, {})), refused);
}

TEST(layer_norm_backward, refuses_four_inputs_that_may_be_statistics_or_weights) {
    using shape_t = graph::shape_t;
    const auto with = [](const shape_t &src, const shape_t &third, const shape_t &fourth,
                              std::optional<bool> affine) {
        op_t op = make_op(dnnl_graph_op_layer_norm_backward,
                {tensor(f32, src), tensor(f32, src), tensor(f32, third), tensor(f32, fourth)},
                {tensor(f32)});
        if (affine) op.attributes[ATTR(use_affine)] = *affine;
        return check_op(op);
    };
    EXPECT_EQ(with({8, 8}, {8}, {8}, {}), dnnl_success); // mean and variance
    EXPECT_EQ(with({8, 8}, {8}, {8}, false), dnnl_success);
    EXPECT_EQ(with({8, 8}, {8}, {8}, true), refused);
    EXPECT_EQ(with({8, 8}, {8, 1}, {8, 1}, true), refused);
    EXPECT_EQ(with({8, 16}, {8}, {8}, true), refused); // gamma is missing
    EXPECT_EQ(with({8, 16}, {16}, {16}, true), dnnl_success);
    EXPECT_EQ(with({1, 16}, {1}, {1}, true), refused);
    EXPECT_EQ(with({3, 4, 5}, {3, 4, 1}, {3, 4, 1}, true), refused);
}

TEST(normalizations, require_gamma_if_use_affine_is_true) {
    for (const auto kind : {dnnl_graph_op_layer_norm, dnnl_graph_op_group_norm}) {
        const auto with = [&](size_t count, std::optional<bool> affine) {
            attributes_t attributes = {{ATTR(keep_stats), false}};
            if (kind == dnnl_graph_op_group_norm) attributes[ATTR(groups)] = int64_t(2);
            if (affine) attributes[ATTR(use_affine)] = *affine;
            return check_op(
                    make_op(kind, tensors_t(count, tensor(f32)), {tensor(f32)}, attributes));
        };
        EXPECT_EQ(with(1, {}), dnnl_success);
        EXPECT_EQ(with(1, false), dnnl_success);
        EXPECT_EQ(with(1, true), refused);
        EXPECT_EQ(with(2, {}), dnnl_success);
        EXPECT_EQ(with(2, true), dnnl_success);
        EXPECT_EQ(with(3, true), dnnl_success);
        EXPECT_EQ(with(4, {}), refused);
    }
}

TEST(layer_norm_backward, may_have_any_subset_of_its_outputs) {
    for (unsigned mask = 0; mask < 8; ++mask) {
        tensors_t outputs(3, absent());
        for (size_t i = 0; i < 3; ++i)
            if (mask >> i & 1) outputs[i] = tensor(f32);
        EXPECT_EQ(check_op(layer_norm_backward(6, outputs, true)), mask ? dnnl_success : refused)
                << mask;
    }
}

TEST(layer_norm_backward, has_gradients_of_gamma_only_with_gamma) {
    const tensors_t all(3, tensor(f32));
    EXPECT_EQ(check_op(layer_norm_backward(2, all, false)), refused);
    EXPECT_EQ(check_op(layer_norm_backward(4, all, false)), refused);
    EXPECT_EQ(check_op(layer_norm_backward(4, {tensor(f32), absent(), absent()}, false)),
            dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(6, {tensor(f32)}, true)), dnnl_success);
    EXPECT_EQ(check_op(layer_norm_backward(6, {tensor(f32), tensor(f32)}, true)), dnnl_success);
}

TEST(batch_norm_backward, has_both_gradients_or_neither) {
    const auto with = [](const tensors_t &outputs) {
        return check_op(make_op(dnnl_graph_op_batch_norm_backward, tensors_t(5, tensor(f32)),
                outputs, {{ATTR(epsilon), 1e-5f}}));
    };
    EXPECT_EQ(with({tensor(f32)}), dnnl_success);
    EXPECT_EQ(with({tensor(f32), tensor(f32), tensor(f32)}), dnnl_success);
    EXPECT_EQ(with({tensor(f32), absent(), absent()}), dnnl_success);
    EXPECT_EQ(with({absent(), tensor(f32), tensor(f32)}), dnnl_success);
    EXPECT_EQ(with({tensor(f32), tensor(f32)}), refused);
    EXPECT_EQ(with({tensor(f32), tensor(f32), absent()}), refused);
    EXPECT_EQ(with({tensor(f32), absent(), tensor(f32)}), refused);
}

TEST(outputs, cannot_all_be_absent) {
    EXPECT_EQ(check_op(make_op(dnnl_graph_op_relu, {tensor(f32)}, {absent()})), refused);
    EXPECT_EQ(check_op(make_op(dnnl_graph_op_relu, {absent()}, {tensor(f32)})), refused);
}

// ---- rules of single operations

TEST(reductions, have_axes_as_an_attribute_or_an_input) {
    const attributes_t axes = {{ATTR(axes), std::vector<int64_t>{1}}};
    EXPECT_EQ(with_types(dnnl_graph_op_reduce_sum, {f32}, {f32}), refused);
    EXPECT_EQ(with_types(dnnl_graph_op_reduce_sum, {f32, dnnl_s32}, {f32}, axes), refused);
}

TEST(interpolation, has_sizes_or_scales) {
    const auto with = [](const attributes_t &more, bool has_input = false) {
        attributes_t attributes = {{ATTR(mode), std::string("linear")}};
        attributes.insert(more.begin(), more.end());
        return with_types(dnnl_graph_op_interpolate,
                has_input ? std::vector{f32, dnnl_s32} : std::vector{f32}, {f32}, attributes);
    };
    const std::pair<const graph::op_attr_t, attr_value_t> sizes = {
            ATTR(sizes), std::vector<int64_t>{4}};
    const std::pair<const graph::op_attr_t, attr_value_t> scales = {
            ATTR(scales), std::vector<float>{2.f}};
    EXPECT_EQ(with({sizes}), dnnl_success);
    EXPECT_EQ(with({scales}), dnnl_success);
    EXPECT_EQ(with({sizes, scales}), refused);
    EXPECT_EQ(with({}), refused);
    EXPECT_EQ(with({}, true), dnnl_success);
}

TEST(quantization, has_the_scales_and_zero_points_of_its_qtype) {
    using floats_t = std::vector<float>;
    using list_t = std::vector<int64_t>;
    const auto with = [](const char *qtype, const floats_t &scales, std::optional<list_t> zps) {
        op_t op = make_op(dnnl_graph_op_quantize, {tensor(f32, {2, 3})}, {tensor(dnnl_u8)},
                {{ATTR(scales), scales}, {ATTR(qtype), std::string(qtype)}});
        if (zps) op.attributes[ATTR(zps)] = *zps;
        return check_op(op);
    };
    EXPECT_EQ(with("per_tensor", {1}, {}), dnnl_success);
    EXPECT_EQ(with("per_tensor", {1}, list_t{0}), dnnl_success);
    EXPECT_EQ(with("per_tensor", {1, 2}, {}), refused);
    EXPECT_EQ(with("per_tensor", {1}, list_t{0, 0}), refused);
    EXPECT_EQ(with("per_tensor", {1}, list_t{INT32_MIN}), dnnl_success);
    EXPECT_EQ(with("per_tensor", {1}, list_t{int64_t(1) << 32}), refused);
    EXPECT_EQ(with("per_channel", {1, 2, 3}, list_t{0, 0, 0}), dnnl_success);
    EXPECT_EQ(with("per_channel", {1, 2, 3}, list_t{0}), refused);
    EXPECT_EQ(with("per_channel", {1, 2}, {}), refused);
    EXPECT_EQ(with("per_channel", {1, 2, 3, 4, 5, 6}, {}), dnnl_success); // weights of two groups
    EXPECT_EQ(with("per_group", {1}, {}), refused);
}

TEST(quantization, to_8_bit_floats_has_no_zero_points) {
    const attributes_t scales = {{ATTR(scales), std::vector<float>{1}}};
    attributes_t with_zps = scales;
    with_zps[ATTR(zps)] = std::vector<int64_t>{0};
    for (auto type : {dnnl_f8_e4m3, dnnl_f8_e5m2}) {
        EXPECT_EQ(with_types(dnnl_graph_op_quantize, {f32}, {type}, scales), dnnl_success);
        EXPECT_EQ(with_types(dnnl_graph_op_quantize, {f32}, {type}, with_zps), refused);
        EXPECT_EQ(with_types(dnnl_graph_op_dequantize, {type}, {f32}, scales), dnnl_success);
        EXPECT_EQ(with_types(dnnl_graph_op_dequantize, {type}, {f32}, with_zps), refused);
    }
}

TEST(dynamic_quantization, has_the_scales_and_zero_points_of_its_qtype) {
    const auto with = [](const char *qtype, int64_t axis, const tensors_t &factors) {
        tensors_t inputs = {tensor(f32, {2, 3})};
        inputs.insert(inputs.end(), factors.begin(), factors.end());
        return check_op(make_op(dnnl_graph_op_dynamic_quantize, inputs, {tensor(dnnl_s8)},
                {{ATTR(qtype), std::string(qtype)}, {ATTR(axis), axis}}));
    };
    const auto zps = [](const graph::shape_t &shape) { return tensor(dnnl_s32, shape); };
    EXPECT_EQ(with("per_tensor", 1, {tensor(f32, {1})}), dnnl_success);
    EXPECT_EQ(with("per_tensor", 1, {tensor(f32, {})}), dnnl_success);
    EXPECT_EQ(with("per_tensor", 1, {tensor(f32, {1}), zps({1})}), dnnl_success);
    EXPECT_EQ(with("per_tensor", 1, {tensor(f32, {3})}), refused);
    EXPECT_EQ(with("per_tensor", 1, {tensor(f32, {1}), zps({3})}), refused);
    EXPECT_EQ(with("per_channel", 0, {tensor(f32, {2})}), dnnl_success);
    EXPECT_EQ(with("per_channel", 0, {tensor(f32)}), dnnl_success);
    EXPECT_EQ(with("per_channel", -1, {tensor(f32, {3}), zps({1})}), dnnl_success);
    EXPECT_EQ(with("per_channel", -1, {tensor(f32, {3}), zps({3})}), dnnl_success);
    EXPECT_EQ(with("per_channel", -1, {tensor(f32, {3}), zps({2})}), refused);
    EXPECT_EQ(with("per_channel", 0, {tensor(f32, {3})}), refused);
    EXPECT_EQ(with("per_channel", 2, {tensor(f32, {3})}), refused);
}

TEST(dynamic_quantization, accepts_groups_of_elements) {
    const auto with = [](const graph::shape_t &scales, const graph::shape_t &zps) {
        return check_op(make_op(dnnl_graph_op_dynamic_dequantize,
                {tensor(dnnl_u4, {4, 6}), tensor(f16, scales), tensor(dnnl_s4, zps)}, {tensor(f16)},
                {{ATTR(qtype), std::string("per_group")},
                        {ATTR(group_shape), std::vector<int64_t>{1, 3}}}));
    };
    EXPECT_EQ(with({4, 2}, {4, 2}), dnnl_success);
    EXPECT_EQ(with({4, 2}, {4, 3}), refused);
    EXPECT_EQ(with({4, 4}, {4, 4}), refused);
    EXPECT_EQ(with({8}, {8}), refused);
}

TEST(max_pool, accepts_the_list_of_dilations_of_dumps) {
    for (op_t op : largest_forms()) {
        if (op.kind != dnnl_graph_op_max_pool) continue;
        op.attributes[ATTR(dilations)] = std::vector<int64_t>(DNNL_MAX_NDIMS, 1);
        EXPECT_EQ(check_op(op), dnnl_success);
    }
}

} // namespace

} // namespace kiln::test
