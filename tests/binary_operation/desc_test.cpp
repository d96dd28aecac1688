// SPDX-License-Identifier: Apache-2.0
// What the descriptors of binary operations answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dnnl_alg_kind_t alg = dnnl_binary_add;
    dims_t src_0 = {4, 6}, src_1 = {4, 1}, dst = {4, 6};
    std::string format_0 = "ab", format_1 = "ab", dst_format = "ab";
    dnnl_data_type_t condition_type = dnnl_s8;
    bool has_condition = false;
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    const auto condition = make_desc(r.src_0, r.condition_type);
    return dnnl_binary_primitive_desc_create_v2(pd.out(), cpu_engine(), r.alg,
            make_desc(r.src_0, dnnl_f32, r.format_0), make_desc(r.src_1, dnnl_bf16, r.format_1),
            r.has_condition ? const_dnnl_memory_desc_t(condition) : nullptr,
            make_desc(r.dst, dnnl_f32, r.dst_format), attr);
}

dnnl_status_t status_of(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, r, attr);
}

TEST(binary_desc, answers_queries) {
    primitive_desc_handle_t pd;
    ASSERT_EQ(create(pd, {.alg = dnnl_binary_select,
                                 .format_0 = "ba",
                                 .format_1 = "any",
                                 .dst_format = "any",
                                 .has_condition = true}),
            dnnl_success);
    EXPECT_EQ(answer<dnnl_alg_kind_t>(pd, dnnl_query_alg_kind), dnnl_binary_select);
    dnnl_prop_kind_t prop_kind;
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind), dnnl_unimplemented);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_f32, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 1, {4, 1}, dnnl_bf16, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 2, {4, 6}, dnnl_s8, "ab"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 6}, dnnl_f32, "ba"));
    expect_arguments(pd, 3, 1);
}

TEST(binary_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_binary_primitive_desc_create(
                out, engine, dnnl_binary_add, d[0], d[1], d[2], nullptr);
    });
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_binary_primitive_desc_create_v2(
                out, engine, dnnl_binary_add, d[0], d[1], nullptr, d[2], nullptr);
    });
}

TEST(binary_desc, refuses_algorithms_shapes_and_layouts_that_do_not_fit) {
    for (const auto alg : {dnnl_alg_kind_undef, dnnl_eltwise_relu, dnnl_reduction_max})
        EXPECT_EQ(status_of({.alg = alg}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src_1 = {4, 2}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src_1 = {6}, .format_1 = "a"}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src_0 = {4, 1}, .src_1 = {4, 1}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src_0 = {1, 6}, .src_1 = {4, 1}}), dnnl_success);
    EXPECT_EQ(status_of({.format_0 = "any"}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.format_1 = "any", .dst_format = "any"}), dnnl_success);
}

TEST(binary_desc, refuses_conditions_that_are_absent_or_of_another_type) {
    const auto select = dnnl_binary_select;
    EXPECT_EQ(status_of({.alg = select}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.alg = select, .has_condition = true}), dnnl_success);
    EXPECT_EQ(status_of({.alg = select, .condition_type = dnnl_u8, .has_condition = true}),
            dnnl_invalid_arguments);
}

TEST(binary_desc, honours_scales_and_post_ops_and_refuses_other_attributes) {
    attr_handle_t attr = make_attr();
    for (const int arg : {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1})
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, 0), "scale");
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), "sum");
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({4, 1}, dnnl_f32)),
            "add");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_success);
    for (const auto &[arg, mask] : {std::pair(DNNL_ARG_DST, 0), std::pair(DNNL_ARG_SRC_1, 1)}) {
        attr = make_attr();
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, mask), "scales");
        EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
    }
    attr = make_attr();
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC_0, 0), "zero points");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
