// SPDX-License-Identifier: Apache-2.0
// Operations through the C interface.
#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_graph.h"
#include "support/handle.hpp"

namespace kiln::test {

namespace {

using op_handle_t = handle_t<dnnl_graph_op_t, dnnl_graph_op_destroy>;
constexpr auto refused = dnnl_invalid_arguments;

op_handle_t made(dnnl_graph_op_kind_t kind = dnnl_graph_op_clamp) {
    op_handle_t op;
    EXPECT_EQ(dnnl_graph_op_create(op.out(), 5, kind, "clamp"), dnnl_success);
    return op;
}

TEST(op, returns_its_id_and_kind) {
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; ++kind) {
        op_handle_t op;
        ASSERT_EQ(dnnl_graph_op_create(
                          op.out(), 100u + kind, static_cast<dnnl_graph_op_kind_t>(kind), ""),
                dnnl_success);
        size_t id = 0;
        EXPECT_EQ(dnnl_graph_op_get_id(op, &id), dnnl_success);
        EXPECT_EQ(id, 100u + kind);
        dnnl_graph_op_kind_t answer = dnnl_graph_op_last_symbol;
        EXPECT_EQ(dnnl_graph_op_get_kind(op, &answer), dnnl_success);
        EXPECT_EQ(answer, kind);
    }
}

TEST(op, of_a_kind_that_does_not_exist_is_refused) {
    dnnl_graph_op_t op = nullptr;
    for (int kind : {-1, static_cast<int>(dnnl_graph_op_last_symbol), 1000})
        EXPECT_EQ(dnnl_graph_op_create(&op, 0, static_cast<dnnl_graph_op_kind_t>(kind), "op"),
                refused);
    EXPECT_EQ(op, nullptr);
}

TEST(op, accepts_inputs_outputs_and_attributes_of_every_type) {
    const op_handle_t op = made();
    dnnl_graph_logical_tensor_t lt;
    ASSERT_EQ(dnnl_graph_logical_tensor_init(&lt, 0, dnnl_f32, 2, dnnl_graph_layout_type_any,
                      dnnl_graph_tensor_property_undef),
            dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_input(op, &lt), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_output(op, &lt), dnnl_success);
    const float f32[] = {1, 2};
    const int64_t s64[] = {1, 2};
    const uint8_t yes = 1;
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_min, f32, 1), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_scales, f32, 2), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, s64, 1), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axes, s64, 2), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axes, s64, 0), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_use_dst, &yes, 1), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_mode, "linear", 6), dnnl_success);
}

TEST(op, accepts_an_attribute_of_a_wrong_type_until_it_is_added) {
    const op_handle_t op = made();
    const float f32 = 1;
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_axis, &f32, 1), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_mode, &f32, 1), dnnl_success);
}

TEST(op, ignores_the_length_of_numbers_and_strings) {
    // Programs for oneDNN pass a length of 0 for a number and 1 for a string.
    const float alpha = 0.5f, beta = 2;
    op_handle_t hard_sigmoid, bias_add;
    ASSERT_EQ(dnnl_graph_op_create(hard_sigmoid.out(), 0, dnnl_graph_op_hard_sigmoid, ""),
            dnnl_success);
    ASSERT_EQ(dnnl_graph_op_create(bias_add.out(), 1, dnnl_graph_op_bias_add, ""), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(hard_sigmoid, dnnl_graph_op_attr_alpha, &alpha, 0),
            dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(hard_sigmoid, dnnl_graph_op_attr_beta, &beta, 0),
            dnnl_success);
    EXPECT_EQ(dnnl_graph_op_set_attr_str(bias_add, dnnl_graph_op_attr_data_format, "NCX", 1),
            dnnl_success);
    dnnl_graph_logical_tensor_t lt[3];
    for (size_t id = 0; id < 3; ++id)
        ASSERT_EQ(dnnl_graph_logical_tensor_init(&lt[id], id, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS,
                          dnnl_graph_layout_type_any, dnnl_graph_tensor_property_undef),
                dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_input(hard_sigmoid, &lt[0]), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_output(hard_sigmoid, &lt[1]), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_input(bias_add, &lt[0]), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_input(bias_add, &lt[1]), dnnl_success);
    EXPECT_EQ(dnnl_graph_op_add_output(bias_add, &lt[2]), dnnl_success);
    // The schemas accept the attributes.
    for (const op_handle_t *op : {&hard_sigmoid, &bias_add}) {
        handle_t<dnnl_graph_partition_t, dnnl_graph_partition_destroy> partition;
        EXPECT_EQ(
                dnnl_graph_partition_create_with_op(partition.out(), *op, dnnl_cpu), dnnl_success);
    }
}

TEST(op, refuses_attributes_without_a_value) {
    const op_handle_t op = made();
    const uint8_t yes[] = {1, 1};
    EXPECT_EQ(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_use_dst, yes, 0), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_use_dst, yes, 2), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_mode, "", 0), refused);
}

TEST(op, refuses_null_pointers) {
    const op_handle_t op = made();
    dnnl_graph_logical_tensor_t lt{};
    const float f32 = 1;
    const int64_t s64 = 1;
    const uint8_t yes = 1;
    size_t id = 0;
    dnnl_graph_op_kind_t kind{};
    dnnl_graph_op_t created = nullptr;
    EXPECT_EQ(dnnl_graph_op_create(nullptr, 0, dnnl_graph_op_relu, ""), refused);
    EXPECT_EQ(dnnl_graph_op_create(&created, 0, dnnl_graph_op_relu, nullptr), refused);
    EXPECT_EQ(dnnl_graph_op_add_input(nullptr, &lt), refused);
    EXPECT_EQ(dnnl_graph_op_add_input(op, nullptr), refused);
    EXPECT_EQ(dnnl_graph_op_add_output(nullptr, &lt), refused);
    EXPECT_EQ(dnnl_graph_op_add_output(op, nullptr), refused);
    const auto attr = dnnl_graph_op_attr_undef;
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(nullptr, attr, &f32, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_f32(op, attr, nullptr, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_s64(nullptr, attr, &s64, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_s64(op, attr, nullptr, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_bool(nullptr, attr, &yes, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_bool(op, attr, nullptr, 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_str(nullptr, attr, "x", 1), refused);
    EXPECT_EQ(dnnl_graph_op_set_attr_str(op, attr, nullptr, 1), refused);
    EXPECT_EQ(dnnl_graph_op_get_id(nullptr, &id), refused);
    EXPECT_EQ(dnnl_graph_op_get_id(op, nullptr), refused);
    EXPECT_EQ(dnnl_graph_op_get_kind(nullptr, &kind), refused);
    EXPECT_EQ(dnnl_graph_op_get_kind(op, nullptr), refused);
    EXPECT_EQ(dnnl_graph_op_destroy(nullptr), dnnl_success);
}

} // namespace

} // namespace kiln::test
