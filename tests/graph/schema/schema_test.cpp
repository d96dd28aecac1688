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

} // namespace

} // namespace kiln::test
