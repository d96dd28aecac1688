// SPDX-License-Identifier: Apache-2.0
// Checks of operations against their schemas: valid operations are accepted, each fault is refused.
#include <set>

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

/// Calls a check with both forms of each kind.
template <typename check_t> void for_each_operation(check_t &&check) {
    for (size_t i = 0; i < smallest_forms().size(); ++i) {
        SCOPED_TRACE(graph::name_of(smallest_forms()[i].kind));
        check(smallest_forms()[i], largest_forms()[i]);
    }
}

/// The same without Wildcard, which accepts everything.
template <typename check_t> void for_each_definite_operation(check_t &&check) {
    for_each_operation([&](const op_t &smallest, const op_t &largest) {
        if (smallest.kind != dnnl_graph_op_wildcard) check(smallest, largest);
    });
}

/// A value of another type than the attribute's.
attr_value_t of_another_type(const attr_value_t &value) {
    return std::holds_alternative<int64_t>(value) ? attr_value_t(1.f) : attr_value_t(int64_t(1));
}

void change_types(
        std::vector<logical_tensor_t> &tensors, dnnl_data_type_t from, dnnl_data_type_t to) {
    for (logical_tensor_t &tensor : tensors)
        if (tensor.data_type == from) tensor.data_type = to;
}

TEST(operations, have_one_sample_each) {
    std::set<int> kinds;
    for (const op_t &op : smallest_forms()) kinds.insert(op.kind);
    EXPECT_EQ(kinds.size(), static_cast<size_t>(dnnl_graph_op_last_symbol));
    EXPECT_EQ(smallest_forms().size(), largest_forms().size());
}

TEST(operations, are_found_by_their_names) {
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; ++kind) {
        const char *name = graph::name_of(static_cast<graph::op_kind_t>(kind));
        ASSERT_NE(name, nullptr) << kind;
        EXPECT_EQ(graph::op_kind_of(name), static_cast<graph::op_kind_t>(kind));
    }
    EXPECT_EQ(graph::name_of(dnnl_graph_op_last_symbol), nullptr);
    EXPECT_STREQ(graph::name_of(dnnl_graph_op_batch_norm_backward), "BatchNormTrainingBackward");
    EXPECT_EQ(graph::op_kind_of("Softmax"), std::nullopt); // it is SoftMax
}

TEST(attributes, are_found_by_their_names) {
    for (const op_t &op : largest_forms())
        for (const auto &[attr, value] : op.attributes) {
            const char *name = graph::name_of(attr);
            ASSERT_NE(name, nullptr) << attr;
            EXPECT_EQ(graph::op_attr_of(name), attr);
            EXPECT_EQ(graph::type_of(attr), graph::type_of(value)) << name;
        }
    EXPECT_EQ(graph::name_of(dnnl_graph_op_attr_undef), nullptr);
    EXPECT_EQ(graph::op_attr_of("gamma"), std::nullopt);
}

TEST(every_operation, is_accepted_in_its_smallest_form) {
    for_each_operation([](const op_t &smallest, const op_t &) {
        EXPECT_EQ(check_op(smallest), dnnl_success);
    });
}

TEST(every_operation, is_accepted_in_its_largest_form) {
    for_each_operation(
            [](const op_t &, const op_t &largest) { EXPECT_EQ(check_op(largest), dnnl_success); });
}

TEST(every_operation, has_no_attribute_beyond_the_largest_form) {
    for_each_operation([](const op_t &smallest, const op_t &largest) {
        for (const graph::attribute_t &attribute : graph::find_schema(smallest.kind)->attributes) {
            const bool is_known =
                    largest.attributes.count(attribute.name) != 0
                    || smallest.attributes.count(attribute.name) != 0
                    || attribute.name == ATTR(scales); // Interpolate: instead of sizes
            EXPECT_TRUE(is_known) << graph::name_of(attribute.name);
        }
    });
}

TEST(every_operation, is_accepted_with_bf16_and_f16_instead_of_f32) {
    for_each_operation([](const op_t &smallest, const op_t &largest) {
        const std::set<int> of_f32 = {dnnl_graph_op_quantize, dnnl_graph_op_dequantize,
                dnnl_graph_op_dynamic_quantize, dnnl_graph_op_type_cast, dnnl_graph_op_dropout,
                dnnl_graph_op_softmax};
        if (of_f32.count(smallest.kind) != 0) return; // one of its tensors is always f32
        for (auto type : {dnnl_bf16, dnnl_f16}) {
            op_t op = largest;
            change_types(op.inputs, dnnl_f32, type);
            change_types(op.outputs, dnnl_f32, type);
            EXPECT_EQ(check_op(op), dnnl_success) << type;
        }
    });
}

TEST(every_operation, is_refused_with_an_invalid_type_of_input) {
    for_each_definite_operation([](const op_t &, const op_t &largest) {
        for (size_t i = 0; i < largest.inputs.size(); ++i)
            for (auto type : {dnnl_f64, dnnl_e8m0}) {
                op_t op = largest;
                op.inputs[i].data_type = type;
                EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << i;
            }
    });
}

TEST(every_operation, is_refused_with_an_invalid_type_of_output) {
    for_each_definite_operation([](const op_t &, const op_t &largest) {
        for (size_t i = 0; i < largest.outputs.size(); ++i) {
            op_t op = largest;
            op.outputs[i].data_type = dnnl_f64;
            EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << i;
        }
    });
}

TEST(every_operation, is_refused_with_one_input_fewer_or_more) {
    for_each_definite_operation([](const op_t &smallest, const op_t &largest) {
        op_t less = smallest;
        less.inputs.pop_back();
        EXPECT_EQ(check_op(less), dnnl_invalid_graph_op);
        op_t more = largest;
        more.inputs.push_back(tensor(dnnl_f32));
        EXPECT_EQ(check_op(more), dnnl_invalid_graph_op);
    });
}

TEST(every_operation, is_refused_with_one_output_fewer_or_more) {
    for_each_definite_operation([](const op_t &smallest, const op_t &largest) {
        op_t less = smallest;
        if (!less.outputs.empty()) {
            less.outputs.pop_back();
            EXPECT_EQ(check_op(less), dnnl_invalid_graph_op);
        }
        op_t more = largest;
        more.outputs.push_back(tensor(dnnl_f32));
        EXPECT_EQ(check_op(more), dnnl_invalid_graph_op);
    });
}

TEST(every_operation, is_refused_without_a_required_attribute) {
    for_each_operation([](const op_t &smallest, const op_t &largest) {
        for (const graph::attribute_t &attribute : graph::find_schema(smallest.kind)->attributes) {
            op_t op = largest;
            op.attributes.erase(attribute.name);
            EXPECT_EQ(check_op(op), attribute.is_required ? dnnl_invalid_graph_op : dnnl_success)
                    << graph::name_of(attribute.name);
        }
        // The smallest forms have required attributes only.
        for (const auto &[attr, value] : smallest.attributes) {
            op_t op = smallest;
            op.attributes.erase(attr);
            EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << graph::name_of(attr);
        }
    });
}

TEST(every_operation, is_refused_with_an_invalid_type_of_attribute) {
    for_each_operation([](const op_t &, const op_t &largest) {
        for (const auto &[attr, value] : largest.attributes) {
            op_t op = largest;
            op.attributes[attr] = of_another_type(value);
            EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << graph::name_of(attr);
        }
    });
}

TEST(every_operation, is_refused_with_an_invalid_string) {
    for_each_operation([](const op_t &, const op_t &largest) {
        for (const auto &[attr, value] : largest.attributes) {
            if (!std::holds_alternative<std::string>(value)) continue;
            for (const char *wrong : {"", "nonsense", "Numpy", "ncx"}) {
                op_t op = largest;
                op.attributes[attr] = std::string(wrong);
                EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << graph::name_of(attr) << wrong;
            }
        }
    });
}

TEST(every_operation, is_refused_with_an_attribute_of_another_operation) {
    for_each_definite_operation([](const op_t &smallest, const op_t &largest) {
        const std::pair<graph::op_attr_t, attr_value_t> foreign[] = {{ATTR(alpha), 1.f},
                {ATTR(order), std::vector<int64_t>{0}}, {ATTR(transpose_a), true},
                {ATTR(qtype), std::string("per_tensor")}, {ATTR(undef), 1.f}};
        for (const auto &[attr, value] : foreign) {
            op_t op = smallest;
            if (largest.attributes.count(attr) != 0) continue;
            op.attributes[attr] = value;
            EXPECT_EQ(check_op(op), dnnl_invalid_graph_op) << attr;
        }
    });
}

TEST(every_operation, keeps_attributes_when_defaults_are_filled_in) {
    for_each_operation([](const op_t &smallest, const op_t &largest) {
        op_t op = largest;
        graph::fill_default_attributes(op);
        for (const auto &[attr, value] : largest.attributes)
            EXPECT_EQ(op.attributes.at(attr), value);
        op_t bare = smallest;
        graph::fill_default_attributes(bare);
        EXPECT_EQ(check_op(bare), dnnl_success);
        for (const graph::attribute_t &attribute : graph::find_schema(bare.kind)->attributes)
            if (const auto value = graph::default_of(attribute);
                    value && !smallest.has_attr(attribute.name)) {
                EXPECT_EQ(bare.attributes.at(attribute.name), *value);
            }
    });
}

// ---- ranges of numbers

struct out_of_range_t {
    graph::op_kind_t kind;
    graph::op_attr_t attr;
    attr_value_t value;
};

TEST(attributes, are_refused_outside_their_range) {
    using list_t = std::vector<int64_t>;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const out_of_range_t cases[] = {
            {dnnl_graph_op_layer_norm, ATTR(epsilon), -1e-5f},
            {dnnl_graph_op_layer_norm, ATTR(epsilon), nan},
            {dnnl_graph_op_layer_norm, ATTR(epsilon), 0.f},
            {dnnl_graph_op_layer_norm, ATTR(epsilon), infinity},
            {dnnl_graph_op_layer_norm_backward, ATTR(epsilon), 0.f},
            {dnnl_graph_op_rms_norm, ATTR(epsilon), 0.f},
            {dnnl_graph_op_group_norm, ATTR(epsilon), infinity},
            {dnnl_graph_op_batch_norm_inference, ATTR(epsilon), -1.f},
            {dnnl_graph_op_batch_norm_forward_training, ATTR(epsilon), 0.f},
            {dnnl_graph_op_batch_norm_backward, ATTR(epsilon), infinity},
            {dnnl_graph_op_batch_norm_forward_training, ATTR(momentum), -0.5f},
            {dnnl_graph_op_group_norm, ATTR(groups), int64_t(0)},
            {dnnl_graph_op_convolution, ATTR(groups), int64_t(-1)},
            {dnnl_graph_op_convolution, ATTR(strides), list_t{1, 0}},
            {dnnl_graph_op_convolution, ATTR(dilations), list_t{0, 1}},
            {dnnl_graph_op_convolution, ATTR(pads_begin), list_t{-1, 0}},
            {dnnl_graph_op_conv_transpose, ATTR(pads_end), list_t{0, -1}},
            {dnnl_graph_op_max_pool, ATTR(kernel), list_t{0, 2}},
            {dnnl_graph_op_max_pool, ATTR(dilations), list_t{1}},
            {dnnl_graph_op_interpolate, ATTR(sizes), list_t{0, 4}},
            {dnnl_graph_op_static_reshape, ATTR(shape), list_t{-2, 3}},
            {dnnl_graph_op_elu, ATTR(alpha), -1.f},
            {dnnl_graph_op_clamp, ATTR(min), 2.f},
            {dnnl_graph_op_clamp_backward, ATTR(max), -2.f},
    };
    for (const auto &[kind, attr, value] : cases)
        for (op_t op : largest_forms()) {
            if (op.kind != kind) continue;
            op.attributes[attr] = value;
            EXPECT_EQ(check_op(op), dnnl_invalid_graph_op)
                    << graph::name_of(kind) << ' ' << graph::name_of(attr);
        }
}

TEST(attributes, are_axes_of_src_if_its_dims_are_known) {
    for (const auto &[kind, attr] :
            std::initializer_list<std::pair<graph::op_kind_t, graph::op_attr_t>>{
                    {dnnl_graph_op_softmax, ATTR(axis)}, {dnnl_graph_op_concat, ATTR(axis)},
                    {dnnl_graph_op_gen_index, ATTR(axis)},
                    {dnnl_graph_op_layer_norm, ATTR(begin_norm_axis)},
                    {dnnl_graph_op_rms_norm, ATTR(begin_norm_axis)},
                    {dnnl_graph_op_layer_norm_backward, ATTR(begin_norm_axis)}})
        for (int64_t axis = -4; axis <= 3; ++axis)
            for (op_t op : smallest_forms()) {
                if (op.kind != kind) continue;
                op.inputs[0] = tensor(dnnl_f32, {2, 3, 4});
                op.attributes[attr] = axis;
                const bool is_there = axis >= -3 && axis < 3;
                EXPECT_EQ(check_op(op), is_there ? dnnl_success : dnnl_invalid_graph_op)
                        << graph::name_of(kind) << axis;
            }
}

TEST(attributes, name_each_axis_once) {
    using list_t = std::vector<int64_t>;
    const auto reduce = [](const list_t &axes) {
        return check_op(make_op(dnnl_graph_op_reduce_max, {tensor(dnnl_f32, {2, 3, 4})},
                {tensor(dnnl_f32)}, {{ATTR(axes), axes}}));
    };
    EXPECT_EQ(reduce({0, -1}), dnnl_success);
    EXPECT_EQ(reduce({}), dnnl_success);
    EXPECT_EQ(reduce({2, -1}), dnnl_invalid_graph_op);
    EXPECT_EQ(reduce({3}), dnnl_invalid_graph_op);
    const op_t transposed = make_op(dnnl_graph_op_static_transpose, {tensor(dnnl_f32, {2, 3})},
            {tensor(dnnl_f32)}, {{ATTR(order), list_t{1, 1}}});
    EXPECT_EQ(check_op(transposed), dnnl_invalid_graph_op);
}

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
