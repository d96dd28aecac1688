// SPDX-License-Identifier: Apache-2.0
// Reorder's attributes.
#include <string>
#include <utility>

#include "reorder/quantized_reorder.hpp"
#include "support/implementations.hpp"

namespace kiln::test {
namespace {

TEST(reorder_attr, combines_as_documented) {
    // (0.5 * (10 - 2) + 2 * 6) / 4 + 3
    quantized_reorder_t problem;
    problem.src_scale = {DNNL_ARG_FROM, 0, dnnl_f32, {.5}};
    problem.src_zero_point = {DNNL_ARG_FROM, 0, dnnl_s32, {2}};
    problem.sum = {2, 0};
    problem.dst_scale = {DNNL_ARG_TO, 0, dnnl_f32, {4}};
    problem.dst_zero_point = {DNNL_ARG_TO, 0, dnnl_s32, {3}};
    tensor_t src(make_desc({1}, dnnl_s8));
    tensor_t dst(make_desc({1}, dnnl_s8));
    src.fill({10});
    dst.fill({6});
    ASSERT_EQ(problem.run(src, dst), dnnl_success);
    EXPECT_EQ(dst.value({0}), 7);
}

// Of a blocked operand with one element along the blocked axis, only the first of each block
// counts.
TEST(reorder_attr, takes_operands_that_are_broadcast_along_their_blocks) {
    const dims_t dims = {2, 19, 3, 4}, operand_dims = {2, 1, 3, 4};
    for (const char *format : {"any", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b", "aBCd2b4c2b"})
        for (const char *dst_format : {"aBcd16b", "abcd", "ABcd8b8a"}) {
            SCOPED_TRACE(std::string(format) + " for " + dst_format);
            post_ops_handle_t post_ops;
            require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
            require(dnnl_post_ops_append_binary(
                            post_ops, dnnl_binary_add, make_desc(operand_dims, dnnl_f32, format)),
                    "dnnl_post_ops_append_binary");
            const attr_handle_t attr = make_attr();
            require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
            tensor_t src(make_desc(dims, dnnl_f32, "acdb"));
            const auto src_values = whole_numbers(src.elements(), 1);
            src.fill(src_values);
            primitive_desc_handle_t pd;
            const auto dst_desc = make_desc(dims, dnnl_f32, dst_format);
            ASSERT_EQ(create_reorder(pd, src.desc(), dst_desc, attr), dnnl_success);
            const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
            tensor_t operand(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg));
            const auto operand_values = whole_numbers(operand.elements(), 2);
            operand.fill(operand_values);
            std::vector<double> truth;
            for_each_index(dims, [&](const dims_t &index) {
                const auto at = static_cast<size_t>((index[0] * 3 + index[2]) * 4 + index[3]);
                truth.push_back(src_values[truth.size()] + operand_values[at]);
            });
            do {
                const tensor_t dst(dst_desc);
                ASSERT_EQ(from_to(src, dst).add(arg, operand.memory()).execute(make_primitive(pd)),
                        dnnl_success);
                EXPECT_TRUE(holds(dst, truth));
                EXPECT_TRUE(dst.is_tidy());
            } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
        }
}

TEST(reorder_attr, scales_along_any_axes) {
    const dims_t dims = {3, 17, 2, 5};
    for (const int mask : {0, 1, 2, 3, 4, 8, 10, 12, 13, 15}) {
        SCOPED_TRACE(mask);
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, mask);
        expect_true(problem, dims, dnnl_f32, "abcd", dnnl_f32, "aBcd16b");
        expect_true(problem, dims, dnnl_s8, "acdb", dnnl_f16, "abcd+3");
        problem.dst_scale = scales(DNNL_ARG_TO, dims, 15 - mask);
        expect_true(problem, dims, dnnl_f32, "aBcd8b", dnnl_s8, "dcba");
        problem.src_scale.reset();
        expect_true(problem, dims, dnnl_bf16, "abcd", dnnl_u8, "abcd");
    }
}

TEST(reorder_attr, computes_between_any_layouts_in_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    constexpr const char *formats[] = {
            "abcd", "acdb", "dcba", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b", "abcd+3", "abcd*2"};
    for (const dims_t &dims : {dims_t{2, 16, 3, 4}, {3, 19, 2, 5}, {35, 70, 1, 2}})
        for (const char *src_format : formats)
            for (const char *dst_format : formats)
                for (const int mask : {0, 2, 3, 15}) {
                    quantized_reorder_t problem;
                    problem.src_scale = scales(DNNL_ARG_FROM, dims, mask);
                    problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, mask);
                    expect_true(problem, dims, dnnl_f32, src_format, dnnl_s8, dst_format);
                    primitive_desc_handle_t pd;
                    ASSERT_EQ(create_reorder(pd, make_desc(dims, dnnl_f32, src_format),
                                      make_desc(dims, dnnl_s8, dst_format), problem.attr()),
                            dnnl_success);
                    EXPECT_NE(implementation_names(std::move(pd)).front(), "ref:any")
                            << src_format << " " << dst_format << " " << mask;
                }
}

/// Runs of many rows, short rows before padding, and blocks of transposed tensors. Results for
/// zeros are no zeros.
TEST(reorder_attr, stores_zeros_in_the_padding_behind_rows) {
    for (const dnnl_dim_t channels : {1, 3, 5, 8, 15, 18, 67})
        for (const char *src_format : {"abcd", "acdb", "aBcd4b", "aBcd8b"})
            for (const char *dst_format : {"aBcd16b", "aBcd8b", "aBcd4b"})
                for (const auto dst_type : {dnnl_s8, dnnl_f32}) {
                    const dims_t dims{2, channels, 9, 10};
                    quantized_reorder_t problem;
                    problem.src_scale = scales(DNNL_ARG_FROM, dims, channels == 18 ? 2 : 0);
                    if (dst_type == dnnl_s8)
                        problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, 0);
                    expect_true(problem, dims, dnnl_f32, src_format, dst_type, dst_format);
                }
}

TEST(reorder_attr, takes_scales_of_narrow_types) {
    const dims_t dims = {5, 7};
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 2, type);
        problem.dst_scale = scales(DNNL_ARG_TO, dims, 1, type);
        expect_true(problem, dims, dnnl_s8, "ab", dnnl_f32, "ba");
    }
}

TEST(reorder_attr, shifts_by_zero_points) {
    const dims_t dims = {3, 17, 2, 5};
    for (const auto src_type : {dnnl_s32, dnnl_s8, dnnl_u8})
        for (const int mask : {0, 2, 9, 15}) {
            SCOPED_TRACE(mask);
            quantized_reorder_t problem;
            problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, mask);
            expect_true(problem, dims, src_type, "acdb", dnnl_f32, "aBcd16b");
            problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, mask, dnnl_u8);
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            expect_true(problem, dims, src_type, "abcd", dnnl_bf16, "dcba");
            problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, mask);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 0);
            expect_true(problem, dims, src_type, "abcd", dnnl_s8, "aBcd8b");
            expect_true(problem, dims, src_type, "abcd", dnnl_u8, "abcd");
        }
}

/// Every combination of attributes, between transposed, padded, blocked and strided layouts.
TEST(reorder_attr, combine_between_any_layouts) {
    const char *formats[] = {
            "abcd", "dcba", "acdb", "abcd*2", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b"};
    for (const dims_t &dims : {dims_t{3, 17, 2, 5}, dims_t{2, 3, 19, 7}, dims_t{16, 32, 1, 3}})
        for (const char *from : formats)
            for (const char *to : formats) {
                quantized_reorder_t problem;
                problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
                problem.sum = {.5f, 1};
                problem.dst_scale = scales(DNNL_ARG_TO, dims, 13);
                expect_true(problem, dims, dnnl_f32, from, dnnl_f32, to);
                problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, 9);
                problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, 3);
                expect_true(problem, dims, dnnl_s8, from, dnnl_u8, to);
                problem.dst_zero_point.reset();
                expect_true(problem, dims, dnnl_u8, from, dnnl_f16, to);
            }
}

/// Rows and columns longer than a block of either.
TEST(reorder_attr, cut_transposed_tensors_into_blocks) {
    for (const dims_t &dims : {dims_t{1, 200, 333}, dims_t{3, 131, 70}, dims_t{1, 1, 1000},
                 dims_t{2, 3, 700}, dims_t{1, 700, 3}})
        for (const auto &[from, to] : {std::pair("abc", "acb"), {"acb", "abc"}, {"abc", "cba"},
                     {"abc*3", "acb"}, {"acb", "abc*2"}, {"aBc16b", "acb"}}) {
            quantized_reorder_t problem;
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 4);
            expect_true(problem, dims, dnnl_f32, from, dnnl_f32, to);
            expect_true(problem, dims, dnnl_f16, from, dnnl_s8, to);
        }
}

TEST(reorder_attr, sums_with_what_dst_held) {
    const dims_t dims = {2, 19, 3, 4};
    for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_f64, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const sum_t sum : {sum_t{1, 0}, sum_t{-.5f, 0}, sum_t{2, 7}, sum_t{0, 0}}) {
            quantized_reorder_t problem;
            problem.sum = sum;
            expect_true(problem, dims, dnnl_f32, "abcd", dst_type, "abcd");
            expect_true(problem, dims, dnnl_f32, "acdb", dst_type, "aBcd16b");
            expect_true(problem, dims, dnnl_f32, "aBcd16b", dst_type, "aBcd16b");
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 8);
            expect_true(problem, dims, dnnl_s8, "abcd", dst_type, "dbca");
        }
}

TEST(reorder_attr, does_not_read_dst_for_a_sum_of_nothing) {
    quantized_reorder_t problem;
    problem.sum = {0, 0};
    tensor_t src(make_desc({3}, dnnl_f32));
    const tensor_t dst(make_desc({3}, dnnl_f32)); // NaN, as it was marked
    src.fill({1, 2, 3});
    ASSERT_EQ(problem.run(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, {1, 2, 3}));
}

TEST(reorder_attr, works_in_place_with_scales) {
    const dims_t dims = {2, 19, 3, 4};
    for (const auto *format : {"abcd", "aBcd16b"}) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
        problem.sum = {3, 0};
        tensor_t tensor(make_desc(dims, dnnl_f32, format));
        tensor.fill(whole_numbers(tensor.elements(), 5));
        const auto truth = problem.truth(tensor, tensor);
        ASSERT_EQ(problem.run(tensor, tensor), dnnl_success);
        EXPECT_TRUE(holds(tensor, truth));
        EXPECT_TRUE(tensor.is_tidy());
    }
}

// Post-ops compute in f32, whose greatest number of 32 bits this is.
TEST(reorder_attr, sums_of_integers_end_at_the_greatest_float) {
    quantized_reorder_t problem;
    problem.sum = {.5f, 0};
    tensor_t src(make_desc({2}, dnnl_s32)), dst(make_desc({2}, dnnl_s32));
    src.fill({2147483647., -2147483648.});
    dst.fill({2147483647., -2147483648.});
    ASSERT_EQ(problem.run(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, {2147483520., -2147483648.}));
}

TEST(reorder_attr, keeps_integers_whole_between_the_ends_of_their_range) {
    quantized_reorder_t problem;
    problem.src_zero_point = {DNNL_ARG_FROM, 0, dnnl_s32, {-1}};
    tensor_t src(make_desc({3}, dnnl_s32));
    src.fill({2147483647., 2147483645., -2147483648.});
    const tensor_t wide(make_desc({3}, dnnl_f64));
    ASSERT_EQ(problem.run(src, wide), dnnl_success);
    EXPECT_TRUE(holds(wide, {2147483648., 2147483646., -2147483647.}));
    const tensor_t same(make_desc({3}, dnnl_s32));
    ASSERT_EQ(problem.run(src, same), dnnl_success);
    EXPECT_TRUE(holds(same, {2147483647., 2147483646., -2147483647.}));
}

TEST(reorder_attr, takes_a_scale_from_the_host) {
    const attr_handle_t attr = make_attr();
    ASSERT_EQ(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_FROM, 0, 0, nullptr, dnnl_f32, 1),
            dnnl_success);
    memory_desc_handle_t scale_desc;
    memory_handle_t scale;
    float value = .25f;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(scale_desc.out(), dnnl_f32), dnnl_success);
    ASSERT_EQ(dnnl_memory_create_host_scalar(scale.out(), scale_desc, &value), dnnl_success);
    tensor_t src(make_desc({3}, dnnl_f32));
    const tensor_t dst(make_desc({3}, dnnl_f32));
    src.fill({4, -8, 1});
    ASSERT_EQ(from_to(src, dst)
                      .with(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, scale)
                      .execute(make_reorder(src.desc(), dst.desc(), attr)),
            dnnl_success);
    EXPECT_TRUE(holds(dst, {1, -2, .25}));
}

TEST(reorder_attr, asks_for_the_values_it_was_promised) {
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 2), "scales");
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_TO, 0), "zero points");
    tensor_t src(make_desc({2, 3}, dnnl_s8));
    const tensor_t dst(make_desc({2, 3}, dnnl_s8));
    src.fill({1, 2, 3, 4, 5, 6});
    tensor_t scale(make_desc({3}, dnnl_f32));
    scale.fill({1, 2, 4});
    tensor_t short_scale(make_desc({2}, dnnl_f32));
    short_scale.fill({1, 2});
    tensor_t zero_point(make_desc({1}, dnnl_s32));
    zero_point.fill({100});
    const auto primitive = make_reorder(src.desc(), dst.desc(), attr);
    constexpr int scale_arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM;
    constexpr int zero_point_arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO;
    const arguments_t all = from_to(src, dst)
                                    .with(scale_arg, scale.memory())
                                    .with(zero_point_arg, zero_point.memory());
    EXPECT_EQ(all.without(scale_arg).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.without(zero_point_arg).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.with(scale_arg, short_scale.memory()).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.execute(primitive), dnnl_success);
    EXPECT_TRUE(holds(dst, {101, 104, 112, 104, 110, 124}));
}

} // namespace
} // namespace kiln::test
