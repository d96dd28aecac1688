// SPDX-License-Identifier: Apache-2.0
// What the descriptors of concatenations answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    std::vector<dims_t> srcs = {{4, 6}, {4, 3}};
    std::vector<std::string> formats = {"ab", "ab"};
    int axis = 1;
    std::string dst_format = "any"; // "": no descriptor of dst
    dims_t dst = {4, 9};
    std::vector<dnnl_data_type_t> types = {dnnl_bf16, dnnl_bf16};
    dnnl_data_type_t dst_type = dnnl_f32;
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    std::vector<memory_desc_handle_t> srcs;
    std::vector<const_dnnl_memory_desc_t> handles;
    for (size_t i = 0; i < r.srcs.size(); ++i)
        handles.push_back(
                srcs.emplace_back(make_desc(r.srcs[i], r.types[i % r.types.size()], r.formats[i])));
    memory_desc_handle_t dst;
    if (!r.dst_format.empty()) dst = make_desc(r.dst, r.dst_type, r.dst_format);
    return dnnl_concat_primitive_desc_create(pd.out(), cpu_engine(), dst,
            static_cast<int>(srcs.size()), r.axis, handles.data(), attr);
}

dnnl_status_t status_of(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, r, attr);
}

TEST(concat_desc, answers_queries) {
    primitive_desc_handle_t pd;
    ASSERT_EQ(create(pd, {.formats = {"ab", "ba"}}), dnnl_success);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}, dnnl_bf16, "ab"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 1, {4, 3}, dnnl_bf16, "ba"));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 9}, dnnl_f32, "ab"));
    EXPECT_TRUE(has_desc(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_MULTIPLE_SRC + 1, {4, 3}, dnnl_bf16, "ba"));
    expect_arguments(pd, 2, 1);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_concat);
}

/// A blocked source, unless a source would begin inside a block; else a plain source that has
/// several elements along the axis; else row-major.
TEST(concat_desc, a_dst_that_is_not_given_follows_a_source) {
    struct {
        std::vector<dnnl_dim_t> channels;
        std::vector<std::string> formats;
        const char *expected;
    } const rows[]{
            {{16, 3}, {"acb", "abc"}, "acb"},
            {{16, 3}, {"acb", "aBc8b"}, "aBc8b"},
            {{16, 3}, {"aBc16b", "abc"}, "aBc16b"},
            {{15, 3}, {"aBc16b", "acb"}, "acb"},
            {{15, 3}, {"aBc16b", "aBc16b"}, "abc"},
            {{1, 3}, {"acb", "cba"}, "cba"},
            {{1, 1}, {"acb", "acb"}, "abc"},
            {{0, 3}, {"acb", "cba"}, "cba"},
    };
    for (const auto &row : rows)
        for (const char *dst_format : {"", "any"}) {
            request_t r{.srcs = {}, .formats = row.formats, .dst_format = dst_format};
            for (const dnnl_dim_t channels : row.channels) r.srcs.push_back({2, channels, 4});
            r.dst = {2, row.channels[0] + row.channels[1], 4};
            primitive_desc_handle_t pd;
            ASSERT_EQ(create(pd, r), dnnl_success);
            const auto type = *dst_format ? dnnl_f32 : dnnl_bf16;
            EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, r.dst, type, row.expected))
                    << row.formats[0] << " " << row.formats[1];
        }
}

TEST(concat_desc, refuses_null_pointers_and_numbers_of_sources) {
    const auto md = make_desc({4, 6}, dnnl_f32), both = make_desc({4, 12}, dnnl_f32);
    const std::vector<const_dnnl_memory_desc_t> srcs{md, md}, absent{md, nullptr};
    dnnl_primitive_desc_t pd = nullptr;
    const auto call = [&](dnnl_primitive_desc_t *out, dnnl_engine_t engine, int n,
                              const const_dnnl_memory_desc_t *descs) {
        return dnnl_concat_primitive_desc_create(out, engine, both, n, 1, descs, nullptr);
    };
    EXPECT_EQ(call(nullptr, cpu_engine(), 2, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, nullptr, 2, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 0, srcs.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 2, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 2, absent.data()), dnnl_invalid_arguments);
    EXPECT_EQ(call(&pd, cpu_engine(), 1 << 20, srcs.data()), dnnl_unimplemented);
    EXPECT_EQ(pd, nullptr);
}

TEST(concat_desc, refuses_axes_shapes_types_and_layouts_that_do_not_fit) {
    EXPECT_EQ(status_of({}), dnnl_success);
    EXPECT_EQ(status_of({.srcs = {{4, 9}}, .formats = {"ab"}}), dnnl_success);
    for (const int axis : {-1, 0, 2}) EXPECT_EQ(status_of({.axis = axis}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.srcs = {{4, 6}, {3, 3}}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.srcs = {{4, 6}, {4}}, .formats = {"ab", "a"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dst = {4, 8}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dst = {5, 9}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.formats = {"any", "ab"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.formats = {"ab", "any"}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.types = {dnnl_f32, dnnl_s8}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.types = {dnnl_s4}}), dnnl_unimplemented);
}

TEST(concat_desc, honours_scales_of_sources_and_refuses_other_attributes) {
    attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC, 0), "scale");
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 1, 0), "scale");
    EXPECT_EQ(status_of({}, attr), dnnl_success);
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 2, 0), "scale");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
    for (const auto &[arg, mask] :
            {std::pair(DNNL_ARG_DST, 0), std::pair(DNNL_ARG_MULTIPLE_SRC + 1, 1)}) {
        attr = make_attr();
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, mask), "scales");
        EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
    }
    attr = make_attr();
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0), "zero point");
    EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
