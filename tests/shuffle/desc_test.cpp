// SPDX-License-Identifier: Apache-2.0
// What the descriptors of shuffles answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dims_t dims = {4, 6}, other_dims = {4, 6};
    dnnl_data_type_t type = dnnl_f32, other_type = dnnl_f32;
    std::string format = "ab", other_format = "ab";
    int axis = 1;
    dnnl_dim_t group = 3;
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
};

dnnl_status_t forward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu_engine(), r.prop_kind,
            make_desc(r.dims, r.type, r.format),
            make_desc(r.other_dims, r.other_type, r.other_format), r.axis, r.group, attr);
}

dnnl_status_t backward(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_desc_t hint = nullptr, const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_shuffle_backward_primitive_desc_create(pd.out(), cpu_engine(),
            make_desc(r.dims, r.type, r.format),
            make_desc(r.other_dims, r.other_type, r.other_format), r.axis, r.group, hint, attr);
}

dnnl_status_t forward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return forward(pd, r, attr);
}

dnnl_status_t backward(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return backward(pd, r, nullptr, attr);
}

TEST(shuffle_desc, answers_queries) {
    primitive_desc_handle_t pd, gradient;
    ASSERT_EQ(forward(pd, {.format = "ba", .other_format = "any"}), dnnl_success);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_shuffle);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), dnnl_forward_training);
    EXPECT_EQ(answer<int>(pd, dnnl_query_axis_s32), 1);
    EXPECT_EQ(answer<dnnl_dim_t>(pd, dnnl_query_group_size_s64), 3);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_f32, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 6}, dnnl_f32, "ba"));
    ASSERT_EQ(backward(gradient, {.format = "any", .other_format = "ba"}), dnnl_success);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(gradient, dnnl_query_prop_kind), dnnl_backward_data);
    EXPECT_TRUE(has_desc(gradient, dnnl_query_diff_src_md, 0, {4, 6}, dnnl_f32, "ba"));
    EXPECT_TRUE(has_desc(gradient, dnnl_query_diff_dst_md, 0, {4, 6}, dnnl_f32, "ba"));
    for (const auto &handle : {&pd, &gradient}) {
        expect_arguments(*handle, 1, 1);
    }
}

TEST(shuffle_desc, gradients_in_any_format_have_the_layout_of_forward) {
    primitive_desc_handle_t pd, with_hint, without;
    const request_t any{.format = "any", .other_format = "any"};
    ASSERT_EQ(forward(pd, {.format = "ba", .other_format = "any"}), dnnl_success);
    ASSERT_EQ(backward(with_hint, any, pd), dnnl_success);
    ASSERT_EQ(backward(without, any), dnnl_success);
    for (const auto what : {dnnl_query_diff_src_md, dnnl_query_diff_dst_md}) {
        EXPECT_TRUE(has_desc(with_hint, what, 0, {4, 6}, dnnl_f32, "ba"));
        EXPECT_TRUE(has_desc(without, what, 0, {4, 6}, dnnl_f32, "ab"));
    }
}

TEST(shuffle_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    expect_null_is_refused({md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_shuffle_forward_primitive_desc_create(
                out, engine, dnnl_forward_training, d[0], d[1], 1, 3, nullptr);
    });
    expect_null_is_refused({md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_shuffle_backward_primitive_desc_create(
                out, engine, d[0], d[1], 1, 3, nullptr, nullptr);
    });
}

TEST(shuffle_desc, refuses_what_makes_no_sense) {
    EXPECT_EQ(forward(request_t{.prop_kind = dnnl_backward_data}), dnnl_invalid_arguments);
    EXPECT_EQ(forward(request_t{.format = "any"}), dnnl_invalid_arguments);
    for (const request_t &r : {request_t{.axis = -1}, request_t{.axis = 2}, request_t{.group = 0},
                 request_t{.group = -3}, request_t{.group = 4}, request_t{.group = 12},
                 request_t{.other_dims = {4, 3}},
                 request_t{.other_dims = {4, 6, 1}, .other_format = ""}}) {
        EXPECT_EQ(forward(r), dnnl_invalid_arguments);
        EXPECT_EQ(backward(r), dnnl_invalid_arguments);
    }
}

TEST(shuffle_desc, refuses_other_types_and_attributes) {
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "scales");
    EXPECT_EQ(forward(request_t{}, attr), dnnl_unimplemented);
    EXPECT_EQ(backward(request_t{}, attr), dnnl_unimplemented);
    EXPECT_EQ(forward(request_t{.other_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(backward(request_t{.other_type = dnnl_bf16}), dnnl_unimplemented);
}

TEST(shuffle_desc, of_no_elements_is_made_at_once) {
    const request_t empty{
            .dims = {0, int64_t(1) << 40}, .other_dims = {0, int64_t(1) << 40}, .group = 2};
    EXPECT_EQ(forward(empty), dnnl_success);
    EXPECT_EQ(backward(empty), dnnl_success);
}

} // namespace
} // namespace kiln::test
