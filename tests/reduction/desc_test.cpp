// SPDX-License-Identifier: Apache-2.0
// What a reduction's descriptor answers, and what it refuses.
#include <cmath>

#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dnnl_alg_kind_t alg = dnnl_reduction_sum;
    dims_t src = {4, 6}, dst = {4, 1};
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    std::string src_format = "ab", dst_format = "ab";
    float p = 2, epsilon = 0;
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &request,
        const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(), request.alg,
            make_desc(request.src, request.src_type, request.src_format),
            make_desc(request.dst, request.dst_type, request.dst_format), request.p,
            request.epsilon, attr);
}

dnnl_status_t status_of(const request_t &request, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, request, attr);
}

TEST(reduction_desc, answers_queries) {
    primitive_desc_handle_t pd;
    request_t request;
    request.alg = dnnl_reduction_norm_lp_max;
    request.p = 3;
    request.epsilon = 0.25f;
    request.src_format = "ba";
    request.dst_format = "any";
    ASSERT_EQ(create(pd, request), dnnl_success);
    EXPECT_EQ(answer<dnnl_alg_kind_t>(pd, dnnl_query_alg_kind), dnnl_reduction_norm_lp_max);
    EXPECT_EQ(answer<float>(pd, dnnl_query_p_f32), 3);
    EXPECT_EQ(answer<float>(pd, dnnl_query_epsilon_f32), 0.25f);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_reduction);
    dnnl_prop_kind_t prop_kind;
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind), dnnl_unimplemented);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_f32, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 1}, dnnl_f32, "ba"));
    expect_arguments(pd, 1, 1);
}

TEST(reduction_desc, refuses_null_pointers) {
    const auto src = make_desc({4, 6}, dnnl_f32), dst = make_desc({4, 1}, dnnl_f32);
    expect_null_is_refused({src, dst}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_reduction_primitive_desc_create(
                out, engine, dnnl_reduction_sum, d[0], d[1], 0, 0, nullptr);
    });
}

TEST(reduction_desc, refuses_algorithms_and_parameters_that_mean_nothing) {
    for (const auto alg : {dnnl_alg_kind_undef, dnnl_binary_add, dnnl_eltwise_relu,
                 static_cast<dnnl_alg_kind_t>(dnnl_reduction_norm_lp_power_p_sum + 1)}) {
        request_t request;
        request.alg = alg;
        EXPECT_EQ(status_of(request), dnnl_invalid_arguments) << alg;
    }
    for (const float p : {0.f, 0.5f, -1.f, std::nanf(""), INFINITY}) {
        request_t request;
        request.p = p;
        EXPECT_EQ(status_of(request), dnnl_success) << "only norms look at p";
        request.alg = dnnl_reduction_norm_lp_power_p_sum;
        EXPECT_EQ(status_of(request), dnnl_invalid_arguments) << p;
    }
    request_t request;
    request.src_type = dnnl_s8;
    EXPECT_EQ(status_of(request), dnnl_success);
    request.alg = dnnl_reduction_norm_lp_sum;
    EXPECT_EQ(status_of(request), dnnl_invalid_arguments);
}

TEST(reduction_desc, refuses_shapes_and_layouts_that_do_not_fit) {
    const auto with = [](dims_t src, dims_t dst) {
        request_t request;
        request.src = std::move(src);
        request.dst = std::move(dst);
        request.src_format = request.dst_format = "";
        return status_of(request);
    };
    EXPECT_EQ(with({4, 6}, {4, 6}), dnnl_invalid_arguments);
    EXPECT_EQ(with({4, 1}, {4, 1}), dnnl_invalid_arguments);
    EXPECT_EQ(with({4, 6}, {4, 2}), dnnl_invalid_arguments);
    EXPECT_EQ(with({4, 6}, {4}), dnnl_invalid_arguments);
    EXPECT_EQ(with({4, 6}, {1, 1}), dnnl_success);
    request_t request;
    request.src_format = "any";
    EXPECT_EQ(status_of(request), dnnl_invalid_arguments);
    primitive_desc_handle_t pd;
    EXPECT_EQ(dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(), dnnl_reduction_sum,
                      make_desc({4, 6}, dnnl_f32), make_desc({4, 1}, dnnl_f32, dims_t{0, 1}), 0, 0,
                      nullptr),
            dnnl_invalid_arguments);
    memory_desc_handle_t scalar;
    require(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), "host scalar");
    EXPECT_EQ(dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(), dnnl_reduction_sum,
                      make_desc({4}, dnnl_f32), scalar, 0, 0, nullptr),
            dnnl_invalid_arguments);
}

TEST(reduction_desc, honours_post_ops_and_refuses_other_attributes) {
    attr_handle_t attr = make_attr();
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), "sum");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({4, 1}, dnnl_f32)),
            "add");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_success);

    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({4, 6}, dnnl_f32)),
            "src's shape");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_invalid_arguments);

    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_prelu(post_ops, 0), "prelu");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_success);

    require(dnnl_post_ops_append_dw(post_ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1), "dw");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);

    attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "scales");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
