// SPDX-License-Identifier: Apache-2.0
// What the descriptors of inner products answer, and what they refuse.
#include <gtest/gtest.h>

#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dims_t src = {4, 6, 2}, weights = {8, 6, 2}, bias = {8}, dst = {4, 8};
    dnnl_data_type_t src_type = dnnl_f32, weights_type = dnnl_f32, dst_type = dnnl_f32;
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    const auto src = make_desc(r.src, r.src_type), weights = make_desc(r.weights, r.weights_type);
    const auto bias = make_desc(r.bias, dnnl_f32), dst = make_desc(r.dst, r.dst_type);
    if (r.prop_kind == dnnl_backward_data)
        return dnnl_inner_product_backward_data_primitive_desc_create(
                pd.out(), cpu_engine(), src, weights, dst, nullptr, attr);
    if (r.prop_kind == dnnl_backward_weights)
        return dnnl_inner_product_backward_weights_primitive_desc_create(
                pd.out(), cpu_engine(), src, weights, bias, dst, nullptr, attr);
    return dnnl_inner_product_forward_primitive_desc_create(
            pd.out(), cpu_engine(), r.prop_kind, src, weights, bias, dst, attr);
}

dnnl_status_t status_of(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, r, attr);
}

TEST(inner_product_desc, answers_queries) {
    primitive_desc_handle_t forward, data, weights;
    ASSERT_EQ(create(forward, {}), dnnl_success);
    EXPECT_TRUE(has_desc(forward, dnnl_query_src_md, 0, {4, 6, 2}));
    EXPECT_TRUE(has_desc(forward, dnnl_query_weights_md, 0, {8, 6, 2}));
    EXPECT_TRUE(has_desc(forward, dnnl_query_weights_md, 1, {8}));
    EXPECT_TRUE(has_desc(forward, dnnl_query_dst_md, 0, {4, 8}));
    ASSERT_EQ(create(data, {.prop_kind = dnnl_backward_data}), dnnl_success);
    EXPECT_TRUE(has_desc(data, dnnl_query_diff_src_md, 0, {4, 6, 2}));
    EXPECT_TRUE(has_desc(data, dnnl_query_diff_dst_md, 0, {4, 8}));
    ASSERT_EQ(create(weights, {.prop_kind = dnnl_backward_weights}), dnnl_success);
    EXPECT_TRUE(has_desc(weights, dnnl_query_diff_weights_md, 0, {8, 6, 2}));
    EXPECT_TRUE(has_desc(weights, dnnl_query_diff_weights_md, 1, {8}));
    EXPECT_EQ(dnnl_primitive_desc_query_s32(weights, dnnl_query_num_of_outputs_s32, 0), 2);
}

TEST(inner_product_desc, refuses_shapes_that_do_not_fit) {
    for (const auto kind : {dnnl_forward_inference, dnnl_backward_data, dnnl_backward_weights}) {
        EXPECT_EQ(status_of({.prop_kind = kind}), dnnl_success);
        EXPECT_EQ(status_of({.src = {5, 6, 2}, .prop_kind = kind}), dnnl_invalid_arguments);
        EXPECT_EQ(status_of({.src = {4, 6}, .prop_kind = kind}), dnnl_invalid_arguments);
        EXPECT_EQ(status_of({.weights = {8, 6, 3}, .prop_kind = kind}), dnnl_invalid_arguments);
        EXPECT_EQ(status_of({.dst = {4, 9}, .prop_kind = kind}), dnnl_invalid_arguments);
    }
    EXPECT_EQ(status_of({.bias = {7}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.prop_kind = dnnl_backward}), dnnl_invalid_arguments);
}

TEST(inner_product_desc, refuses_types_and_attributes_that_are_not_supported) {
    EXPECT_EQ(status_of({.weights_type = dnnl_bf16}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.src_type = dnnl_s8, .weights_type = dnnl_u8}), dnnl_unimplemented);
    const request_t int8{.src_type = dnnl_u8, .weights_type = dnnl_s8};
    for (const auto &[arg, mask, status] : {std::tuple(DNNL_ARG_WEIGHTS, 1, dnnl_success),
                 {DNNL_ARG_WEIGHTS, 2, dnnl_unimplemented}, {DNNL_ARG_SRC, 0, dnnl_success},
                 {DNNL_ARG_SRC, 1, dnnl_unimplemented}}) {
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, mask), "scales");
        EXPECT_EQ(status_of(int8, attr), status);
        EXPECT_EQ(status_of({}, attr), dnnl_unimplemented);
    }
}

/// The descriptor of weights that the library chooses for this src and weights.
memory_desc_handle_t chosen_weights(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
        dnnl_dim_t samples, dnnl_dim_t outputs, dnnl_data_type_t type) {
    primitive_desc_handle_t pd;
    require(dnnl_inner_product_forward_primitive_desc_create(pd.out(), cpu_engine(),
                    dnnl_forward_inference, src, weights, nullptr,
                    make_desc({samples, outputs}, type), nullptr),
            "inner product");
    auto chosen = clone_desc(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0));
    EXPECT_EQ(implementation_names(std::move(pd)).front(), "jit:matmul");
    return chosen;
}

TEST(inner_product_desc, packed_weights_are_taken_back) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const struct {
        dims_t src;
        const char *order; // of src
    } rows[] = {{{48, 31}, "ab"}, {{48, 5, 3, 4}, "abcd"}, {{48, 4, 3, 5}, "acdb"},
            {{48, 7, 1, 1}, "abcd"}, {{48, 2, 2, 2}, "acdb"}, {{48, 1, 1, 6}, "acdb"}};
    for (const auto &row : rows)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
            dims_t weights = row.src;
            weights[0] = 50;
            const auto src = make_desc(row.src, type, row.order);
            const auto chosen = chosen_weights(src, make_desc(weights, type, "any"), 48, 50, type);
            // AMX pads K, which is possible along one axis.
            const bool is_padded = type == dnnl_bf16 && has_amx();
            const bool has_one_axis = std::ranges::count(row.src, 1) + 2 >= std::ssize(row.src);
            EXPECT_EQ(layout_t(chosen).is_blocked(), !is_padded || has_one_axis)
                    << to_string(row.src) << row.order;
            for (const char *format : {row.order, "any"}) {
                const auto again =
                        chosen_weights(make_desc(row.src, type, format), chosen, 48, 50, type);
                EXPECT_TRUE(dnnl_memory_desc_equal(chosen, again) != 0);
            }
        }
}

TEST(inner_product_desc, an_open_gradient_of_weights_has_its_longer_axis_innermost) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const struct {
        dims_t weights;
        const char *order, *expected;
    } rows[] = {{{50, 31}, "ab", "ba"}, {{31, 50}, "ab", "ab"}, {{90, 5, 3, 4}, "acdb", "cdba"},
            {{60, 5, 3, 4}, "abcd", "abcd"}};
    for (const auto &row : rows) {
        dims_t src = row.weights;
        src[0] = 48;
        primitive_desc_handle_t pd;
        require(dnnl_inner_product_backward_weights_primitive_desc_create(pd.out(), cpu_engine(),
                        make_desc(src, dnnl_f32, row.order),
                        make_desc(row.weights, dnnl_f32, "any"), nullptr,
                        make_desc({48, row.weights[0]}, dnnl_f32), nullptr, nullptr),
                "inner product");
        EXPECT_TRUE(dnnl_memory_desc_equal(chosen_desc(pd, DNNL_ARG_DIFF_WEIGHTS),
                            make_desc(row.weights, dnnl_f32, row.expected))
                    != 0)
                << row.expected;
        EXPECT_EQ(implementation_names(std::move(pd)).front(), "jit:matmul");
    }
}

} // namespace
} // namespace kiln::test
