// SPDX-License-Identifier: Apache-2.0
// What the descriptors of sums answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    std::vector<dims_t> srcs = {{4, 6}, {4, 6}};
    std::vector<std::string> formats = {"ab", "ab"};
    std::string dst_format = "any"; // "": no descriptor of dst
    dims_t dst = {4, 6};
    dnnl_data_type_t src_type = dnnl_bf16, dst_type = dnnl_f32;
    int count = -1; // as many as there are
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    std::vector<memory_desc_handle_t> srcs;
    std::vector<const_dnnl_memory_desc_t> handles;
    for (size_t i = 0; i < r.srcs.size(); ++i)
        handles.push_back(srcs.emplace_back(make_desc(r.srcs[i], r.src_type, r.formats[i])));
    const std::vector<float> scales(srcs.size(), 2);
    memory_desc_handle_t dst;
    if (!r.dst_format.empty()) dst = make_desc(r.dst, r.dst_type, r.dst_format);
    return dnnl_sum_primitive_desc_create(pd.out(), cpu_engine(), dst,
            r.count < 0 ? static_cast<int>(srcs.size()) : r.count, scales.data(), handles.data(),
            attr);
}

dnnl_status_t status_of(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, r, attr);
}

TEST(sum_desc, answers_queries) {
    primitive_desc_handle_t pd;
    ASSERT_EQ(create(pd, {.formats = {"ab", "ba"}}), dnnl_success);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_bf16, "ab"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 1, {4, 6}, dnnl_bf16, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 6}, dnnl_f32, "ab"));
    EXPECT_TRUE(has_desc(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_MULTIPLE_SRC + 1, {4, 6}, dnnl_bf16, "ba"));
    expect_arguments(pd, 2, 1);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_sum);
}

TEST(sum_desc, a_dst_that_is_not_given_follows_the_first_blocked_source_or_the_first) {
    const dims_t dims{2, 16, 3};
    for (const auto &[formats, expected] :
            {std::pair(std::vector<std::string>{"acb", "abc"}, "acb"),
                    std::pair(std::vector<std::string>{"acb", "aBc8b"}, "aBc8b"),
                    std::pair(std::vector<std::string>{"aBc16b", "aBc8b"}, "aBc16b")})
        for (const char *dst_format : {"", "any"}) {
            primitive_desc_handle_t pd;
            ASSERT_EQ(create(pd, {.srcs = {dims, dims},
                                         .formats = formats,
                                         .dst_format = dst_format,
                                         .dst = dims}),
                    dnnl_success);
            const auto type = *dst_format ? dnnl_f32 : dnnl_bf16;
            EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, dims, type, expected)) << expected;
        }
}

TEST(sum_desc, refuses_null_pointers_and_numbers_of_sources) {
    const auto md = make_desc({4, 6}, dnnl_f32);
    const std::vector<const_dnnl_memory_desc_t> srcs{md, md}, absent{md, nullptr};
    const float scales[] = {1, 1};
    dnnl_primitive_desc_t pd = nullptr;
    const auto call = [&](dnnl_primitive_desc_t *out, dnnl_engine_t engine, int n,
                              const float *factors, const const_dnnl_memory_desc_t *descs) {
        return dnnl_sum_primitive_desc_create(out, engine, md, n, factors, descs, nullptr);
    };
    EXPECT_EQ(call(nullptr, cpu_engine(), 2, scales, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, nullptr, 2, scales, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 0, scales, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), -1, scales, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 2, nullptr, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 2, scales, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 2, scales, absent.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 1 << 20, scales, srcs.data()), dnnl_unimplemented);
    EXPECT_EQ(pd, nullptr);
}

TEST(sum_desc, refuses_shapes_and_layouts_that_do_not_fit) {
    EXPECT_EQ(status_of({}), dnnl_success);
    EXPECT_EQ(status_of({.count = 1}), dnnl_success);
    EXPECT_EQ(status_of({.srcs = {{4, 6}, {4, 1}}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.srcs = {{4, 6}, {24}}, .formats = {"ab", "a"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dst = {4, 7}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.formats = {"any", "ab"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.formats = {"ab", "any"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src_type = dnnl_s4}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.dst_type = dnnl_e8m0}), dnnl_unimplemented);
}

TEST(sum_desc, refuses_attributes_that_change_results) {
    attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user), "mode");
    EXPECT_EQ(status_of({}, attr), dnnl_success);
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC, 0), "scale");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
    attr = make_attr();
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
