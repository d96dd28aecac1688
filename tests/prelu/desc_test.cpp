// SPDX-License-Identifier: Apache-2.0
// What the descriptors of PReLU answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dims_t src = {4, 6}, weights = {1, 6}, other = {4, 6}, diff_weights = {1, 6};
    dnnl_data_type_t type = dnnl_f32, weights_type = dnnl_f32, other_type = dnnl_f32,
                     diff_weights_type = dnnl_f32;
    std::string src_format = "ab", weights_format = "any", other_format = "any";
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
};

dnnl_status_t forward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_prelu_forward_primitive_desc_create(pd.out(), cpu_engine(), r.prop_kind,
            make_desc(r.src, r.type, r.src_format),
            make_desc(r.weights, r.weights_type, r.weights_format),
            make_desc(r.other, r.other_type, r.other_format), attr);
}

dnnl_status_t backward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    const auto diff = make_desc(r.other, r.other_type, r.other_format);
    return dnnl_prelu_backward_primitive_desc_create(pd.out(), cpu_engine(),
            make_desc(r.src, r.type, r.src_format),
            make_desc(r.weights, r.weights_type, r.weights_format), diff,
            make_desc(r.diff_weights, r.diff_weights_type, "any"), diff, nullptr, attr);
}

dnnl_status_t forward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return forward(pd, r, attr);
}

dnnl_status_t backward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return backward(pd, r, attr);
}

TEST(prelu_desc, answers_queries_and_gives_any_the_layout_of_src) {
    primitive_desc_handle_t pd, gradient;
    request_t r{.weights = {4, 6}, .diff_weights = {4, 6}, .src_format = "ba"};
    ASSERT_EQ(forward(pd, r), dnnl_success);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_prelu);
    for (const auto what : {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md})
        EXPECT_TRUE(has_desc(pd, what, 0, {4, 6}, dnnl_f32, "ba"));
    expect_arguments(pd, 2, 1);
    ASSERT_EQ(backward(gradient, r), dnnl_success);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(gradient, dnnl_query_prop_kind), dnnl_backward);
    for (const auto what : {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_diff_src_md,
                 dnnl_query_diff_dst_md, dnnl_query_diff_weights_md})
        EXPECT_TRUE(has_desc(gradient, what, 0, {4, 6}, dnnl_f32, "ba"));
    expect_arguments(gradient, 3, 2);
}

TEST(prelu_desc, backward_of_src_in_any_format_is_row_major) {
    primitive_desc_handle_t pd;
    ASSERT_EQ(backward(pd, {.src_format = "any"}), dnnl_success);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_f32, "ab"));
    EXPECT_EQ(forward(request_t{.src_format = "any"}), dnnl_invalid_arguments);
}

TEST(prelu_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_prelu_forward_primitive_desc_create(
                out, engine, dnnl_forward_training, d[0], d[1], d[2], nullptr);
    });
    expect_null_is_refused(
            {md, md, md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
                return dnnl_prelu_backward_primitive_desc_create(
                        out, engine, d[0], d[1], d[2], d[3], d[4], nullptr, nullptr);
            });
}

TEST(prelu_desc, refuses_what_makes_no_sense) {
    EXPECT_EQ(forward(request_t{.prop_kind = dnnl_backward}), dnnl_invalid_arguments);
    for (const request_t &r : {request_t{.weights = {2, 6}, .diff_weights = {2, 6}},
                 request_t{.weights = {6}, .diff_weights = {6}}, request_t{.other = {4, 3}},
                 request_t{.other = {4, 6, 1}}}) {
        EXPECT_EQ(forward(r), dnnl_invalid_arguments);
        EXPECT_EQ(backward(r), dnnl_invalid_arguments);
    }
    EXPECT_EQ(backward(request_t{.diff_weights = {4, 6}}), dnnl_invalid_arguments);
}

TEST(prelu_desc, refuses_other_types_and_attributes) {
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "scales");
    EXPECT_EQ(forward(request_t{}, attr), dnnl_unimplemented);
    EXPECT_EQ(backward(request_t{}, attr), dnnl_unimplemented);
    EXPECT_EQ(forward(request_t{.other_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(backward(request_t{.other_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(backward(request_t{.diff_weights_type = dnnl_bf16}), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
