// SPDX-License-Identifier: Apache-2.0
// What a softmax's descriptor answers, and what it refuses.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dnnl_prop_kind_t prop_kind = dnnl_forward_training; // or dnnl_backward_data
    dnnl_alg_kind_t alg = dnnl_softmax_accurate;
    dims_t src = {4, 6}, dst = {4, 6};
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    std::string src_format = "ab", dst_format = "ab";
    int axis = 1;
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &request,
        const_dnnl_primitive_attr_t attr = nullptr) {
    const auto src = make_desc(request.src, request.src_type, request.src_format);
    const auto dst = make_desc(request.dst, request.dst_type, request.dst_format);
    if (request.prop_kind == dnnl_backward_data)
        return dnnl_softmax_backward_primitive_desc_create(
                pd.out(), cpu_engine(), request.alg, src, src, dst, request.axis, nullptr, attr);
    return dnnl_softmax_forward_primitive_desc_create(
            pd.out(), cpu_engine(), request.prop_kind, request.alg, src, dst, request.axis, attr);
}

dnnl_status_t status_of(const request_t &request, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, request, attr);
}

TEST(softmax_desc, answers_queries) {
    primitive_desc_handle_t pd;
    request_t request;
    request.alg = dnnl_softmax_log;
    request.axis = 0;
    request.src_format = "ba";
    request.dst_format = "any";
    ASSERT_EQ(create(pd, request), dnnl_success);
    EXPECT_EQ(answer<dnnl_alg_kind_t>(pd, dnnl_query_alg_kind), dnnl_softmax_log);
    EXPECT_EQ(answer<int>(pd, dnnl_query_axis_s32), 0);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_softmax);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), dnnl_forward_training);
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 6}, dnnl_f32, "ba"));
    expect_arguments(pd, 1, 1);
}

TEST(softmax_desc, answers_queries_backward) {
    primitive_desc_handle_t pd;
    const auto any = make_desc({4, 6}, dnnl_f32, "any"), dst = make_desc({4, 6}, dnnl_f32, "ba");
    ASSERT_EQ(dnnl_softmax_backward_primitive_desc_create(pd.out(), cpu_engine(),
                      dnnl_softmax_accurate, any, any, dst, 1, nullptr, nullptr),
            dnnl_success);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), dnnl_backward_data);
    for (const auto query : {dnnl_query_dst_md, dnnl_query_diff_dst_md, dnnl_query_diff_src_md})
        EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, query, 0), dst));
    expect_arguments(pd, 2, 1);
}

TEST(softmax_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    expect_null_is_refused({md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_softmax_forward_primitive_desc_create(
                out, engine, dnnl_forward_inference, dnnl_softmax_accurate, d[0], d[1], 1, nullptr);
    });
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_softmax_backward_primitive_desc_create(
                out, engine, dnnl_softmax_accurate, d[0], d[1], d[2], 1, nullptr, nullptr);
    });
}

TEST(softmax_desc, refuses_what_means_nothing) {
    const auto with = [](auto change) {
        dnnl_status_t found = dnnl_success;
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward_data}) {
            request_t request;
            request.prop_kind = prop_kind;
            change(request);
            found = status_of(request);
        }
        return found;
    };
    EXPECT_EQ(with([](request_t &r) { r.axis = 2; }), dnnl_invalid_arguments);
    EXPECT_EQ(with([](request_t &r) { r.axis = -1; }), dnnl_invalid_arguments);
    EXPECT_EQ(with([](request_t &r) { r.alg = dnnl_eltwise_exp; }), dnnl_invalid_arguments);
    EXPECT_EQ(with([](request_t &r) { r.dst = {4, 5}; }), dnnl_invalid_arguments);
    EXPECT_EQ(with([](request_t &r) {
        r.dst = {24};
        r.dst_format = "a";
        r.axis = 0;
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(with([](request_t &r) { r.src_type = dnnl_s32; }), dnnl_unimplemented);
    request_t request;
    request.src_format = "any";
    EXPECT_EQ(status_of(request), dnnl_invalid_arguments);
    request = {};
    request.prop_kind = dnnl_backward_weights;
    EXPECT_EQ(status_of(request), dnnl_invalid_arguments);
    request = {};
    request.prop_kind = dnnl_backward_data;
    request.dst_format = "any";
    EXPECT_EQ(status_of(request), dnnl_invalid_arguments);
}

TEST(softmax_desc, refuses_attributes_that_it_does_not_honour) {
    const attr_handle_t scales = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(scales, DNNL_ARG_DST, 0), "scales");
    request_t request;
    EXPECT_EQ(status_of(request, scales), dnnl_unimplemented) << "neither src nor dst is int8";
    request.dst_type = dnnl_u8;
    EXPECT_EQ(status_of(request, scales), dnnl_success);
    const attr_handle_t along = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(along, DNNL_ARG_DST, 2), "scales");
    EXPECT_EQ(status_of(request, along), dnnl_unimplemented);
    request = {};
    post_ops_handle_t sum;
    require(dnnl_post_ops_create(sum.out()), "post-ops");
    require(dnnl_post_ops_append_sum(sum, 1, 0, dnnl_data_type_undef), "sum");
    const attr_handle_t with_sum = make_attr();
    require(dnnl_primitive_attr_set_post_ops(with_sum, sum), "post-ops");
    EXPECT_EQ(status_of(request, with_sum), dnnl_unimplemented);
    request.prop_kind = dnnl_backward_data;
    EXPECT_EQ(status_of(request, with_sum), dnnl_unimplemented);
}

TEST(softmax_desc, refuses_a_hint_of_another_problem) {
    primitive_desc_handle_t hint, pd;
    ASSERT_EQ(create(hint, {}), dnnl_success);
    const auto backward = [&](const dims_t &dims) {
        const auto md = make_desc(dims, dnnl_f32);
        return dnnl_softmax_backward_primitive_desc_create(
                pd.out(), cpu_engine(), dnnl_softmax_accurate, md, md, md, 1, hint, nullptr);
    };
    EXPECT_EQ(backward({4, 6}), dnnl_success);
    EXPECT_EQ(backward({4, 7}), dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test
