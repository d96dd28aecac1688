// SPDX-License-Identifier: Apache-2.0
// What the descriptors of elementwise functions answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dnnl_alg_kind_t alg = dnnl_eltwise_relu;
    dims_t dims = {4, 6}, other_dims = {4, 6};
    dnnl_data_type_t type = dnnl_f32, other_type = dnnl_f32;
    std::string format = "ab", other_format = "ab";
    float alpha = 0, beta = 0;
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
};

dnnl_status_t forward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_eltwise_forward_primitive_desc_create(pd.out(), cpu_engine(), r.prop_kind, r.alg,
            make_desc(r.dims, r.type, r.format),
            make_desc(r.other_dims, r.other_type, r.other_format), r.alpha, r.beta, attr);
}

dnnl_status_t backward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    const auto diff = make_desc(r.other_dims, r.other_type, r.other_format);
    return dnnl_eltwise_backward_primitive_desc_create(pd.out(), cpu_engine(), r.alg, diff, diff,
            make_desc(r.dims, r.type, r.format), r.alpha, r.beta, nullptr, attr);
}

dnnl_status_t forward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return forward(pd, r, attr);
}

dnnl_status_t backward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return backward(pd, r, attr);
}

/// The descriptor of no tensor.
memory_desc_handle_t empty_desc() {
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_with_strides(desc.out(), 0, nullptr, dnnl_f32, nullptr),
            "the zero descriptor");
    return desc;
}

TEST(eltwise_desc, answers_queries_forward) {
    primitive_desc_handle_t pd;
    request_t r{.alg = dnnl_eltwise_linear, .format = "ba", .other_format = "any"};
    r.alpha = 2;
    r.beta = 0.5f;
    r.prop_kind = dnnl_forward_inference;
    ASSERT_EQ(forward(pd, r), dnnl_success);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_eltwise);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), dnnl_forward_inference);
    EXPECT_EQ(answer<dnnl_alg_kind_t>(pd, dnnl_query_alg_kind), dnnl_eltwise_linear);
    EXPECT_EQ(answer<float>(pd, dnnl_query_alpha_f32), 2);
    EXPECT_EQ(answer<float>(pd, dnnl_query_beta_f32), 0.5f);
    for (const auto what : {dnnl_query_src_md, dnnl_query_dst_md})
        EXPECT_TRUE(has_desc(pd, what, 0, {4, 6}, dnnl_f32, "ba"));
    expect_arguments(pd, 1, 1);
}

TEST(eltwise_desc, answers_queries_backward) {
    for (const auto &[alg, data, other] :
            {std::tuple(dnnl_eltwise_tanh, dnnl_query_src_md, dnnl_query_dst_md),
                    std::tuple(dnnl_eltwise_tanh_use_dst_for_bwd, dnnl_query_dst_md,
                            dnnl_query_src_md)}) {
        primitive_desc_handle_t pd;
        ASSERT_EQ(backward(pd, {.alg = alg, .format = "ba", .other_format = "any"}), dnnl_success);
        EXPECT_EQ(answer<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), dnnl_backward_data);
        for (const auto what : {data, dnnl_query_diff_src_md, dnnl_query_diff_dst_md})
            EXPECT_TRUE(has_desc(pd, what, 0, {4, 6}, dnnl_f32, "ba"));
        EXPECT_TRUE(
                dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, other, 0), empty_desc()));
        expect_arguments(pd, 2, 1);
    }
}

TEST(eltwise_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    expect_null_is_refused({md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_eltwise_forward_primitive_desc_create(
                out, engine, dnnl_forward_training, dnnl_eltwise_relu, d[0], d[1], 0, 0, nullptr);
    });
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_eltwise_backward_primitive_desc_create(
                out, engine, dnnl_eltwise_relu, d[0], d[1], d[2], 0, 0, nullptr, nullptr);
    });
}

TEST(eltwise_desc, refuses_algorithms_and_parameters_that_mean_nothing) {
    for (const auto alg : {dnnl_alg_kind_undef, dnnl_binary_add, dnnl_reduction_max}) {
        EXPECT_EQ(forward({.alg = alg}), dnnl_invalid_arguments) << alg;
        EXPECT_EQ(backward({.alg = alg}), dnnl_invalid_arguments) << alg;
    }
    for (const auto alg :
            {dnnl_eltwise_clip, dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd})
        for (const float beta : {0.5f, 1.f, 2.f}) {
            const request_t r{.alg = alg, .alpha = 1, .beta = beta};
            EXPECT_EQ(forward(r), beta < 1 ? dnnl_invalid_arguments : dnnl_success);
            EXPECT_EQ(backward(r), beta < 1 ? dnnl_invalid_arguments : dnnl_success);
        }
    for (const auto alg : {dnnl_eltwise_relu_use_dst_for_bwd, dnnl_eltwise_elu_use_dst_for_bwd}) {
        EXPECT_EQ(forward({.alg = alg, .alpha = -1}), dnnl_invalid_arguments);
        EXPECT_EQ(backward({.alg = alg, .alpha = 1}), dnnl_success);
    }
    for (const auto kind : {dnnl_backward, dnnl_backward_data, dnnl_prop_kind_undef})
        EXPECT_EQ(forward({.prop_kind = kind}), dnnl_invalid_arguments);
}

TEST(eltwise_desc, refuses_types_that_a_function_does_not_have) {
    for (const auto type : {dnnl_s32, dnnl_s8, dnnl_u8}) {
        for (const auto alg : {dnnl_eltwise_relu, dnnl_eltwise_linear, dnnl_eltwise_clip}) {
            EXPECT_EQ(forward({.alg = alg, .type = type, .other_type = type}), dnnl_success);
            EXPECT_EQ(backward({.alg = alg, .type = type, .other_type = type}), dnnl_unimplemented);
        }
        EXPECT_EQ(forward({.alg = dnnl_eltwise_exp, .type = type, .other_type = type}),
                dnnl_invalid_arguments);
    }
    EXPECT_EQ(forward({.alg = dnnl_eltwise_round}), dnnl_success);
    EXPECT_EQ(backward({.alg = dnnl_eltwise_round}), dnnl_invalid_arguments);
    EXPECT_EQ(forward({.alg = dnnl_eltwise_round, .type = dnnl_bf16, .other_type = dnnl_bf16}),
            dnnl_invalid_arguments);
    EXPECT_EQ(forward({.other_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(backward({.other_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(forward({.type = dnnl_s4, .other_type = dnnl_s4}), dnnl_unimplemented);
}

TEST(eltwise_desc, refuses_shapes_and_layouts_that_do_not_fit) {
    for (const dims_t &dims : {dims_t{4, 5}, dims_t{4, 1}}) {
        EXPECT_EQ(forward({.other_dims = dims}), dnnl_invalid_arguments);
        EXPECT_EQ(backward({.other_dims = dims}), dnnl_invalid_arguments);
    }
    EXPECT_EQ(forward({.other_dims = {24}, .other_format = "a"}), dnnl_invalid_arguments);
    EXPECT_EQ(forward({.format = "any"}), dnnl_invalid_arguments);
    EXPECT_EQ(backward({.format = "any"}), dnnl_unimplemented);
    const auto src = make_desc({4, 6}, dnnl_f32);
    const auto overlapping = make_desc({4, 6}, dnnl_f32, dims_t{0, 1});
    memory_desc_handle_t scalar;
    require(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), "host scalar");
    for (const const_dnnl_memory_desc_t dst :
            {const_dnnl_memory_desc_t(overlapping), const_dnnl_memory_desc_t(scalar)}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(dnnl_eltwise_forward_primitive_desc_create(pd.out(), cpu_engine(),
                          dnnl_forward_training, dnnl_eltwise_relu, src, dst, 0, 0, nullptr),
                dnnl_invalid_arguments);
    }
    const auto open =
            make_desc({4, DNNL_RUNTIME_DIM_VAL}, dnnl_f32, dims_t{DNNL_RUNTIME_DIM_VAL, 1});
    primitive_desc_handle_t pd;
    EXPECT_EQ(dnnl_eltwise_forward_primitive_desc_create(pd.out(), cpu_engine(),
                      dnnl_forward_training, dnnl_eltwise_relu, open, open, 0, 0, nullptr),
            dnnl_unimplemented);
}

TEST(eltwise_desc, honours_binary_post_ops_forward_and_refuses_other_attributes) {
    attr_handle_t attr = make_attr();
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({4, 1}, dnnl_f32)),
            "add");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(forward({}, attr), dnnl_success);
    EXPECT_EQ(backward({}, attr), dnnl_unimplemented);
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(forward({}, attr), dnnl_unimplemented);
    attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "scales");
    EXPECT_EQ(forward({}, attr), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
