// SPDX-License-Identifier: Apache-2.0
// Problems that contradict themselves, and attributes that no layer normalization honours.
#include <gtest/gtest.h>

#include "layer_normalization/problem.hpp"

namespace kiln::test::layer_normalization {

namespace {

problem_t small(dnnl_prop_kind_t prop_kind) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {4, 5, 6};
    problem.flags = scale | shift;
    return problem;
}

dnnl_status_t create(const problem_t &problem) {
    primitive_desc_handle_t primitive_desc;
    return make_primitive_desc(primitive_desc, problem);
}

/// Creates a forward descriptor from any parts.
dnnl_status_t forward_of(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        const_dnnl_memory_desc_t stat, dnnl_prop_kind_t prop_kind = dnnl_forward_training) {
    primitive_desc_handle_t primitive_desc;
    return dnnl_layer_normalization_forward_primitive_desc_create(
            primitive_desc.out(), cpu_engine(), prop_kind, src, dst, stat, 1e-5f, 0, nullptr);
}

dnnl_status_t backward_of(const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t stat,
        dnnl_prop_kind_t prop_kind = dnnl_backward) {
    primitive_desc_handle_t primitive_desc;
    return dnnl_layer_normalization_backward_primitive_desc_create(primitive_desc.out(),
            cpu_engine(), prop_kind, diff_src, diff_dst, src, stat, 1e-5f, 0, nullptr, nullptr);
}

TEST(layer_normalization_refusals, vectors_have_no_statistics) {
    const auto vector = make_desc({8}, dnnl_f32);
    EXPECT_EQ(forward_of(vector, vector, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(vector, vector, vector, nullptr), dnnl_invalid_arguments);
}

TEST(layer_normalization_refusals, descriptors_must_be_there) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    memory_desc_handle_t zero;
    require(dnnl_memory_desc_create_with_strides(
                    zero.out(), 0, nullptr, dnnl_data_type_undef, nullptr),
            "the zero descriptor");
    EXPECT_EQ(forward_of(nullptr, data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(zero, data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, zero, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(nullptr, data, data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, nullptr, data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, data, nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(nullptr, cpu_engine(),
                      dnnl_forward_training, data, data, nullptr, 1e-5f, 0, nullptr),
            dnnl_invalid_arguments);
    primitive_desc_handle_t primitive_desc;
    EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(primitive_desc.out(), nullptr,
                      dnnl_forward_training, data, data, nullptr, 1e-5f, 0, nullptr),
            dnnl_invalid_arguments);
}

TEST(layer_normalization_refusals, a_zero_descriptor_of_statistics_stands_for_none) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    memory_desc_handle_t zero;
    require(dnnl_memory_desc_create_with_strides(
                    zero.out(), 0, nullptr, dnnl_data_type_undef, nullptr),
            "the zero descriptor");
    EXPECT_EQ(forward_of(data, data, zero), dnnl_success);
    EXPECT_EQ(backward_of(data, data, data, zero), dnnl_success);
}

TEST(layer_normalization_refusals, shapes_must_match) {
    const auto data = make_desc({4, 5, 6}, dnnl_f32);
    const auto stat = make_desc({4, 5}, dnnl_f32);
    EXPECT_EQ(forward_of(data, data, stat), dnnl_success);
    EXPECT_EQ(backward_of(data, data, data, stat), dnnl_success);
    for (const dims_t &dims : {dims_t{4, 5, 7}, dims_t{4, 6, 6}, dims_t{5, 5, 6}, dims_t{4, 30},
                 dims_t{4, 5, 6, 1}, dims_t{20, 6}}) {
        const auto other = make_desc(dims, dnnl_f32);
        EXPECT_EQ(forward_of(data, other, stat), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(other, data, data, stat), dnnl_invalid_arguments)
                << test::to_string(dims);
        EXPECT_EQ(backward_of(data, other, data, stat), dnnl_invalid_arguments)
                << test::to_string(dims);
    }
    for (const dims_t &dims :
            {dims_t{4}, dims_t{4, 6}, dims_t{5, 4}, dims_t{4, 5, 1}, dims_t{4, 5, 6}, dims_t{20}}) {
        const auto other = make_desc(dims, dnnl_f32);
        EXPECT_EQ(forward_of(data, data, other), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(data, data, data, other), dnnl_invalid_arguments)
                << test::to_string(dims);
    }
}

TEST(layer_normalization_refusals, propagation_kinds_of_the_other_direction) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_backward, dnnl_backward_data,
                 dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(forward_of(data, data, nullptr, prop_kind), dnnl_invalid_arguments) << prop_kind;
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_forward_training,
                 dnnl_forward_inference, dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(backward_of(data, data, data, nullptr, prop_kind), dnnl_invalid_arguments)
                << prop_kind;
}

TEST(layer_normalization_refusals, extents_known_only_at_execution) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    const auto open = make_desc({DNNL_RUNTIME_DIM_VAL, 6}, dnnl_f32,
            dims_t{DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL});
    EXPECT_EQ(forward_of(open, open, nullptr), dnnl_unimplemented);
    EXPECT_EQ(backward_of(open, open, open, nullptr), dnnl_unimplemented);
}

struct attribute_t {
    const char *name;
    dnnl_status_t (*set)(dnnl_primitive_attr_t);
};

dnnl_status_t set_post_ops(dnnl_primitive_attr_t attr, dnnl_status_t (*append)(dnnl_post_ops_t)) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(append(post_ops), "appending a post-op");
    return dnnl_primitive_attr_set_post_ops(attr, post_ops);
}

const std::vector<attribute_t> refused_attributes{
        {"zero point of src",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0);
                }},
        {"zero point of dst",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
                }},
        {"sum",
                [](dnnl_primitive_attr_t attr) {
                    return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                        return dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef);
                    });
                }},
        {"depthwise convolution",
                [](dnnl_primitive_attr_t attr) {
                    return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                        return dnnl_post_ops_append_dw(
                                post_ops, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 1);
                    });
                }},
        {"leaky ReLU with slopes",
                [](dnnl_primitive_attr_t attr) {
                    return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                        return dnnl_post_ops_append_prelu(post_ops, 0);
                    });
                }},
        {"a sum after an elementwise function",
                [](dnnl_primitive_attr_t attr) {
                    return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                        require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0),
                                "dnnl_post_ops_append_eltwise");
                        return dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef);
                    });
                }},
        {"dropout",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_dropout(attr, make_desc({4, 5, 6}, dnnl_u8));
                }},
        {"stochastic rounding",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_rounding(
                            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
                }},
        {"scales that execution computes",
                [](dnnl_primitive_attr_t attr) {
                    const dims_t group{1, 32};
                    return dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 7, 2, group.data(),
                            dnnl_e8m0, 0, dnnl_quantization_mode_dynamic_mx);
                }},
};

TEST(layer_normalization_refusals, attributes_that_are_not_honoured) {
    for (const auto type : {dnnl_f32, dnnl_s8})
        for (const auto &attribute : refused_attributes) {
            auto problem = small(dnnl_forward_inference);
            problem.src_type = problem.dst_type = type;
            const auto attr = test::make_attr();
            ASSERT_EQ(attribute.set(attr), dnnl_success) << attribute.name;
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem, attr), dnnl_unimplemented)
                    << attribute.name << " with " << dnnl_dt2str(type);
        }
}

TEST(layer_normalization_refusals, backward_honours_no_attribute_of_a_result) {
    auto attributes = refused_attributes;
    attributes.push_back({"elementwise function", [](dnnl_primitive_attr_t attr) {
                              return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                                  return dnnl_post_ops_append_eltwise(
                                          post_ops, dnnl_eltwise_relu, 0, 0);
                              });
                          }});
    attributes.push_back({"scale of src", [](dnnl_primitive_attr_t attr) {
                              return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0);
                          }});
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
        for (const auto &attribute : attributes) {
            const auto attr = test::make_attr();
            ASSERT_EQ(attribute.set(attr), dnnl_success) << attribute.name;
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(
                    make_primitive_desc(primitive_desc, small(prop_kind), attr), dnnl_unimplemented)
                    << attribute.name;
        }
}

dnnl_status_t status_with_operand(const_dnnl_memory_desc_t operand) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, operand),
            "dnnl_post_ops_append_binary");
    const auto attr = test::make_attr();
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "setting post-ops");
    primitive_desc_handle_t primitive_desc;
    return make_primitive_desc(primitive_desc, small(dnnl_forward_training), attr);
}

TEST(layer_normalization_refusals, operands_of_post_ops_with_strides_known_only_at_execution) {
    const dims_t strides{30, DNNL_RUNTIME_DIM_VAL, 1};
    EXPECT_EQ(status_with_operand(make_desc({4, 5, 6}, dnnl_f32, strides)), dnnl_unimplemented);
}

TEST(layer_normalization_refusals, operands_of_post_ops_that_do_not_broadcast) {
    for (const dims_t &dims :
            {dims_t{4, 5, 3}, dims_t{2, 5, 6}, dims_t{5, 6}, dims_t{6}, dims_t{4, 5, 6, 1}}) {
        const auto status = status_with_operand(make_desc(dims, dnnl_f32));
        EXPECT_TRUE(status == dnnl_invalid_arguments || status == dnnl_unimplemented)
                << test::to_string(dims) << " " << dnnl_status2str(status);
    }
}

TEST(layer_normalization_refusals, a_refusal_leaves_the_output_alone) {
    auto problem = small(dnnl_forward_training);
    problem.flags = 0x40;
    const auto data = make_desc(problem.dims, dnnl_f32);
    dnnl_primitive_desc_t primitive_desc = nullptr;
    EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(&primitive_desc, cpu_engine(),
                      dnnl_forward_training, data, data, nullptr, 1e-5f, problem.flags, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(primitive_desc, nullptr);
    EXPECT_EQ(create(small(dnnl_forward_training)), dnnl_success);
}

} // namespace

} // namespace kiln::test::layer_normalization
