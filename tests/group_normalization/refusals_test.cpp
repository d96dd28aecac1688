// SPDX-License-Identifier: Apache-2.0
// Problems that contradict themselves, and attributes that no group normalization honours.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

constexpr dnnl_dim_t groups = 2;

dnnl_status_t forward_of(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        dnnl_prop_kind_t prop_kind = dnnl_forward_training,
        const_dnnl_primitive_attr_t attr = nullptr, dnnl_dim_t count = groups) {
    primitive_desc_handle_t primitive_desc;
    return dnnl_group_normalization_forward_primitive_desc_create(
            primitive_desc.out(), cpu_engine(), prop_kind, src, dst, count, 1e-5f, 0, attr);
}

dnnl_status_t backward_of(const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst,
        const_dnnl_memory_desc_t src, dnnl_prop_kind_t prop_kind = dnnl_backward,
        const_dnnl_primitive_desc_t hint = nullptr, const_dnnl_primitive_attr_t attr = nullptr,
        dnnl_dim_t count = groups) {
    primitive_desc_handle_t primitive_desc;
    return dnnl_group_normalization_backward_primitive_desc_create(primitive_desc.out(),
            cpu_engine(), prop_kind, diff_src, diff_dst, src, count, 1e-5f, 0, hint, attr);
}

TEST(group_normalization_refusals, descriptors_must_be_there) {
    const auto data = make_desc({2, 4, 6}, dnnl_f32);
    memory_desc_handle_t zero;
    require(dnnl_memory_desc_create_with_strides(
                    zero.out(), 0, nullptr, dnnl_data_type_undef, nullptr),
            "the zero descriptor");
    EXPECT_EQ(forward_of(data, data), dnnl_success);
    EXPECT_EQ(forward_of(nullptr, data), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(zero, data), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, zero), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, data, data), dnnl_success);
    EXPECT_EQ(backward_of(nullptr, data, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, nullptr, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_group_normalization_forward_primitive_desc_create(nullptr, cpu_engine(),
                      dnnl_forward_training, data, data, groups, 1e-5f, 0, nullptr),
            dnnl_invalid_arguments);
    primitive_desc_handle_t primitive_desc;
    EXPECT_EQ(dnnl_group_normalization_forward_primitive_desc_create(primitive_desc.out(), nullptr,
                      dnnl_forward_training, data, data, groups, 1e-5f, 0, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_group_normalization_backward_primitive_desc_create(nullptr, cpu_engine(),
                      dnnl_backward, data, data, data, groups, 1e-5f, 0, nullptr, nullptr),
            dnnl_invalid_arguments);
}

TEST(group_normalization_refusals, groups_must_divide_the_channels) {
    const auto data = make_desc({2, 12, 6}, dnnl_f32);
    for (const dnnl_dim_t count : {-12, -1, 0, 1, 5, 6, 8, 12, 13, 24}) {
        const bool is_legal = count > 0 && 12 % count == 0;
        const auto status = is_legal ? dnnl_success : dnnl_invalid_arguments;
        EXPECT_EQ(forward_of(data, data, dnnl_forward_training, nullptr, count), status) << count;
        EXPECT_EQ(backward_of(data, data, data, dnnl_backward, nullptr, nullptr, count), status)
                << count;
    }
}

TEST(group_normalization_refusals, two_to_five_dimensions) {
    for (const dims_t &dims : {dims_t{4, 6}, dims_t{2, 4, 2, 3, 2}}) {
        const auto data = make_desc(dims, dnnl_f32);
        EXPECT_EQ(forward_of(data, data), dnnl_success);
        EXPECT_EQ(backward_of(data, data, data), dnnl_success);
    }
    const auto vector = make_desc({8}, dnnl_f32);
    EXPECT_EQ(forward_of(vector, vector), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(vector, vector, vector), dnnl_invalid_arguments);
    const auto long_one = make_desc({2, 4, 2, 3, 2, 2}, dnnl_f32);
    EXPECT_EQ(forward_of(long_one, long_one), dnnl_unimplemented);
    EXPECT_EQ(backward_of(long_one, long_one, long_one), dnnl_unimplemented);
}

TEST(group_normalization_refusals, shapes_must_match) {
    const auto data = make_desc({4, 6, 6}, dnnl_f32);
    for (const dims_t &dims : {dims_t{4, 6, 7}, dims_t{4, 8, 6}, dims_t{5, 6, 6}, dims_t{4, 36},
                 dims_t{4, 6, 6, 1}, dims_t{24, 6}}) {
        const auto other = make_desc(dims, dnnl_f32);
        EXPECT_EQ(forward_of(data, other), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(other, data, data), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(data, other, data), dnnl_invalid_arguments) << test::to_string(dims);
    }
}

TEST(group_normalization_refusals, propagation_kinds_of_the_other_direction) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_backward, dnnl_backward_data,
                 dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(forward_of(data, data, prop_kind), dnnl_invalid_arguments) << prop_kind;
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_forward_training,
                 dnnl_forward_inference, dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(backward_of(data, data, data, prop_kind), dnnl_invalid_arguments) << prop_kind;
}

TEST(group_normalization_refusals, extents_known_only_at_execution) {
    const auto open = make_desc({DNNL_RUNTIME_DIM_VAL, 6}, dnnl_f32,
            dims_t{DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL});
    EXPECT_EQ(forward_of(open, open), dnnl_unimplemented);
    EXPECT_EQ(backward_of(open, open, open), dnnl_unimplemented);
}

TEST(group_normalization_refusals, outputs_whose_elements_share_a_place) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    const auto shared = make_desc({4, 6}, dnnl_f32, dims_t{0, 1});
    EXPECT_EQ(forward_of(shared, data), dnnl_success);
    EXPECT_EQ(forward_of(data, shared), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(shared, data, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, shared, data), dnnl_success);
}

TEST(group_normalization_refusals, hints_of_other_operations) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    primitive_desc_handle_t batch, right;
    require(dnnl_batch_normalization_forward_primitive_desc_create(batch.out(), cpu_engine(),
                    dnnl_forward_training, data, data, 1e-5f, 0, nullptr),
            "batch normalization");
    require(dnnl_group_normalization_forward_primitive_desc_create(right.out(), cpu_engine(),
                    dnnl_forward_training, data, data, groups, 1e-5f, 0, nullptr),
            "group normalization");
    EXPECT_EQ(backward_of(data, data, data, dnnl_backward, right), dnnl_success);
    EXPECT_EQ(backward_of(data, data, data, dnnl_backward, batch), dnnl_invalid_arguments);
}

TEST(group_normalization_refusals, attributes_that_are_not_honoured) {
    using set_t = dnnl_status_t (*)(dnnl_primitive_attr_t);
    const set_t attributes[]{
            [](dnnl_primitive_attr_t attr) {
                return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0);
            },
            [](dnnl_primitive_attr_t attr) {
                return dnnl_primitive_attr_set_dropout(attr, make_desc({4, 6}, dnnl_u8));
            },
            [](dnnl_primitive_attr_t attr) {
                return dnnl_primitive_attr_set_rounding(
                        attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
            },
            [](dnnl_primitive_attr_t attr) {
                post_ops_handle_t post_ops;
                require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
                require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), "sum");
                return dnnl_primitive_attr_set_post_ops(attr, post_ops);
            },
    };
    const auto data = make_desc({4, 6}, dnnl_f32);
    for (const set_t set : attributes) {
        const auto attr = test::make_attr();
        ASSERT_EQ(set(attr), dnnl_success);
        EXPECT_EQ(forward_of(data, data, dnnl_forward_inference, attr), dnnl_unimplemented);
        EXPECT_EQ(backward_of(data, data, data, dnnl_backward, nullptr, attr), dnnl_unimplemented);
    }
}

TEST(group_normalization_refusals, backward_has_no_post_ops) {
    auto problem = problem_t();
    problem.prop_kind = dnnl_backward;
    problem.dims = {4, 6};
    problem.groups = 3;
    problem.post_ops = {{.alg = dnnl_eltwise_relu}};
    primitive_desc_handle_t primitive_desc;
    EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented);
}

} // namespace

} // namespace kiln::test::channel_normalization
